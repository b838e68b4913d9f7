import * as z from "zod";
import { abortUpload as abort } from "../../domain/uploads/upload-session.ts";
import { actionIdField } from "../action-id-field.ts";
import { defineEndpoint } from "../define-endpoint.ts";

/** The parts of the route that the route of embeds shares. */
export const ABORT_UPLOAD = {
  summary: "Abort an upload session",
  description: "Deletes an unfinished session with its bytes and releases its quota.",
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
} as const;

export const abortUpload = defineEndpoint({
  ...ABORT_UPLOAD,
  method: "post",
  path: "/api/v1/assets/uploads/{upload_id}:abort",
  operationId: "abortUpload",
  tag: "Assets",
  access: { scope: "assets:write", permission: "ws:assets:manage" },
  handle: async (ctx, { params }) => {
    await abort(ctx, params.upload_id);
    return { status: 204 };
  },
});
