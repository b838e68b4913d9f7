import { requireEmbedUpload } from "../../domain/embeds/embed-uploads.ts";
import { abortUpload } from "../../domain/uploads/upload-session.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { ABORT_UPLOAD } from "../uploads/abort-upload.ts";

export const abortEmbedUpload = defineEndpoint({
  ...ABORT_UPLOAD,
  method: "post",
  path: "/api/embed/uploads/{upload_id}:abort",
  operationId: "abortEmbedUpload",
  tag: "Embeds",
  access: "embed:ws:assets:manage",
  handle: async (ctx, { params }) => {
    await requireEmbedUpload(ctx, params.upload_id);
    await abortUpload(ctx, params.upload_id);
    return { status: 204 };
  },
});
