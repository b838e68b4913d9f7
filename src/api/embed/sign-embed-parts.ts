import { requireEmbedUpload } from "../../domain/embeds/embed-uploads.ts";
import { signParts } from "../../domain/uploads/sign-parts.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { SIGN_UPLOAD_PARTS } from "../uploads/sign-upload-parts.ts";

export const signEmbedParts = defineEndpoint({
  ...SIGN_UPLOAD_PARTS,
  method: "post",
  path: "/api/embed/uploads/{upload_id}/parts:sign",
  operationId: "signEmbedParts",
  tag: "Embeds",
  exampleOf: "signUploadParts",
  access: "embed:ws:assets:manage",
  handle: async (ctx, { params, body }) => {
    await requireEmbedUpload(ctx, params.upload_id);
    return { status: 200, body: await signParts(ctx, params.upload_id, body.parts) };
  },
});
