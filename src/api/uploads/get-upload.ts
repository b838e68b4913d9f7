import * as z from "zod";
import { UploadSession } from "../../contracts/files/upload.ts";
import { readUpload } from "../../domain/uploads/upload-session.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";

/** The parts of the route that the route of embeds shares. */
export const GET_UPLOAD = {
  summary: "Read an upload session",
  description: "With every part and its receipt; a single PUT gets a fresh address each time.",
  request: { params: z.object({ upload_id: idField("upload") }) },
  responses: { 200: { description: "The session", body: UploadSession } },
  errors: ["invalid_id", "forbidden", "not_found", "upload_expired", "feature_disabled"],
} as const;

export const getUpload = defineEndpoint({
  ...GET_UPLOAD,
  method: "get",
  path: "/api/v1/assets/uploads/{upload_id}",
  operationId: "getUpload",
  tag: "Assets",
  access: { scope: "assets:write", permission: "ws:assets:manage" },
  handle: async (ctx, { params }) => ({
    status: 200,
    body: await readUpload(ctx, params.upload_id),
  }),
});
