import * as z from "zod";
import { UploadSession } from "../../contracts/files/upload.ts";
import { completeUpload as complete } from "../../domain/uploads/upload-session.ts";
import { actionIdField } from "../action-id-field.ts";
import { defineEndpoint } from "../define-endpoint.ts";

/** The parts of the route that the route of embeds shares. */
export const COMPLETE_UPLOAD = {
  summary: "Complete a multipart upload",
  description:
    "Call it when every part is confirmed. Poll the session until it is `finalized` or `failed`. A repeat changes nothing.",
  request: { params: z.object({ upload_id: actionIdField("upload", "complete") }) },
  responses: { 202: { description: "The session, being validated", body: UploadSession } },
  errors: [
    "invalid_id",
    "forbidden",
    "not_found",
    "file_not_uploaded",
    "window_closing",
    "upload_expired",
    "invalid_state",
    "feature_disabled",
  ],
} as const;

export const completeUpload = defineEndpoint({
  ...COMPLETE_UPLOAD,
  method: "post",
  path: "/api/v1/assets/uploads/{upload_id}:complete",
  operationId: "completeUpload",
  tag: "Assets",
  access: { scope: "assets:write", permission: "ws:assets:manage" },
  handle: async (ctx, { params }) => ({ status: 202, body: await complete(ctx, params.upload_id) }),
});
