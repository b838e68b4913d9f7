import { requireEmbedUpload } from "../../domain/embeds/embed-uploads.ts";
import { completeUpload } from "../../domain/uploads/upload-session.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { COMPLETE_UPLOAD } from "../uploads/complete-upload.ts";

export const completeEmbedUpload = defineEndpoint({
  ...COMPLETE_UPLOAD,
  method: "post",
  path: "/api/embed/uploads/{upload_id}:complete",
  operationId: "completeEmbedUpload",
  tag: "Embeds",
  exampleOf: "completeUpload",
  access: "embed:ws:assets:manage",
  handle: async (ctx, { params }) => {
    await requireEmbedUpload(ctx, params.upload_id);
    return { status: 202, body: await completeUpload(ctx, params.upload_id) };
  },
});
