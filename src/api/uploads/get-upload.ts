import * as z from "zod";
import { UploadSession } from "../../contracts/files/upload.ts";
import { readUpload } from "../../domain/uploads/upload-session.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";

export const getUpload = defineEndpoint({
  method: "get",
  path: "/api/v1/assets/uploads/{upload_id}",
  operationId: "getUpload",
  summary: "Read an upload session",
  description: "With every part and its receipt; a single PUT gets a fresh address each time.",
  tag: "Assets",
  access: { scope: "assets:write", permission: "ws:assets:manage" },
  request: { params: z.object({ upload_id: idField("upload") }) },
  responses: { 200: { description: "The session", body: UploadSession } },
  errors: ["invalid_id", "forbidden", "not_found", "upload_expired", "feature_disabled"],
  handle: async (ctx, { params }) => ({
    status: 200,
    body: await readUpload(ctx, params.upload_id),
  }),
});
