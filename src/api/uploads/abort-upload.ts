import * as z from "zod";
import { abortUpload as abort } from "../../domain/uploads/upload-session.ts";
import { actionIdField } from "../action-id-field.ts";
import { defineEndpoint } from "../define-endpoint.ts";

export const abortUpload = defineEndpoint({
  method: "post",
  path: "/api/v1/assets/uploads/{upload_id}:abort",
  operationId: "abortUpload",
  summary: "Abort an upload session",
  description: "Deletes an unfinished session with its bytes and releases its quota.",
  tag: "Assets",
  access: { scope: "assets:write", permission: "ws:assets:manage" },
  request: { params: z.object({ upload_id: actionIdField("upload", "abort") }) },
  responses: { 204: { description: "Discarded" } },
  errors: [
    "invalid_id",
    "forbidden",
    "not_found",
    "conflict",
    "upload_expired",
    "feature_disabled",
  ],
  handle: async (ctx, { params }) => {
    await abort(ctx, params.upload_id);
    return { status: 204 };
  },
});
