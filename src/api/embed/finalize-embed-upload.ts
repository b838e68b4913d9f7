import { requireEmbedUpload } from "../../domain/embeds/embed-uploads.ts";
import { finalizeUpload } from "../../domain/uploads/upload-session.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { FINALIZE_UPLOAD } from "../uploads/finalize-upload.ts";

export const finalizeEmbedUpload = defineEndpoint({
  ...FINALIZE_UPLOAD,
  method: "post",
  path: "/api/embed/uploads/{upload_id}/finalize",
  operationId: "finalizeEmbedUpload",
  tag: "Embeds",
  exampleOf: "finalizeUpload",
  access: "embed:ws:assets:manage",
  handle: async (ctx, { params }) => {
    await requireEmbedUpload(ctx, params.upload_id);
    return { status: 200, body: await finalizeUpload(ctx, params.upload_id) };
  },
});
