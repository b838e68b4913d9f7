import * as z from "zod";
import { UploadSession } from "../../contracts/files/upload.ts";
import { finalizeUpload as finalize } from "../../domain/uploads/upload-session.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";

export const finalizeUpload = defineEndpoint({
  method: "post",
  path: "/api/v1/assets/uploads/{upload_id}/finalize",
  operationId: "finalizeUpload",
  summary: "Finalize a single PUT",
  description:
    "Validates the uploaded bytes and creates the asset. Returns `in_progress` while another call is doing this: try again. A repeat returns the same result.",
  tag: "Assets",
  access: { scope: "assets:write", permission: "ws:assets:manage" },
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
  handle: async (ctx, { params }) => ({ status: 200, body: await finalize(ctx, params.upload_id) }),
});
