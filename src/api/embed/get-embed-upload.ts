import { requireEmbedUpload } from "../../domain/embeds/embed-uploads.ts";
import { readUpload } from "../../domain/uploads/upload-session.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { GET_UPLOAD } from "../uploads/get-upload.ts";

export const getEmbedUpload = defineEndpoint({
  ...GET_UPLOAD,
  method: "get",
  path: "/api/embed/uploads/{upload_id}",
  operationId: "getEmbedUpload",
  tag: "Embeds",
  exampleOf: "getUpload",
  access: "embed:ws:assets:manage",
  handle: async (ctx, { params }) => {
    await requireEmbedUpload(ctx, params.upload_id);
    return { status: 200, body: await readUpload(ctx, params.upload_id) };
  },
});
