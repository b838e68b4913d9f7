import * as z from "zod";
import { UploadSession } from "../../contracts/files/upload.ts";
import { finalizeUpload as finalize } from "../../domain/uploads/upload-session.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";

/** The parts of the route that the route of embeds shares. */
export const FINALIZE_UPLOAD = {
  summary: "Finalize a single PUT",
  description:
    "Validates the uploaded bytes and creates the asset. Returns `in_progress` while another call is doing this: try again. A repeat returns the same result.",
  request: { params: z.object({ upload_id: idField("upload") }) },
  responses: { 200: { description: "The session", body: UploadSession } },
  errors: [
    "invalid_id",
    "content_mismatch",
    "invalid_size",
    "forbidden",
    "not_found",
    "file_not_uploaded",
    "window_closing",
    "upload_expired",
    "precondition_failed",
    "invalid_state",
    "feature_disabled",
  ],
} as const;

export const finalizeUpload = defineEndpoint({
  ...FINALIZE_UPLOAD,
  method: "post",
  path: "/api/v1/assets/uploads/{upload_id}/finalize",
  operationId: "finalizeUpload",
  tag: "Assets",
  access: { scope: "assets:write", permission: "ws:assets:manage" },
  handle: async (ctx, { params }) => ({ status: 200, body: await finalize(ctx, params.upload_id) }),
});
