import * as z from "zod";
import { UploadSession } from "../../contracts/files/upload.ts";
import { createUpload as create } from "../../domain/uploads/create-upload.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { replayHeaders } from "../replay-headers.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

/** The parts of the route that the route of embeds shares. */
export const CREATE_UPLOAD = {
  summary: "Open an upload session",
  description:
    "For large files: PUT the bytes to the session's address, in one request or in parts, then finalize. The session is open for 24 hours, each address for 15 minutes. Its bytes count towards the quota from its creation.",
  request: {
    headers: z.object({
      "idempotency-key": z
        .string()
        .optional()
        .describe("8 to 255 characters. The same key and file return the same session."),
    }),
    body: z
      .strictObject({
        file_name: z
          .string({ error: "Send the file's name, with its extension." })
          .min(1, "Send the file's name, with its extension.")
          .max(LIMITS.asset_path.value),
        // Not `z.int()`, which ends at 2^53: every size over the limit is `invalid_size`
        // (docs/contract/assets.md#upload-sessions).
        size_bytes: z
          .number()
          .refine(Number.isInteger, "Must be a whole number of bytes.")
          .meta({ type: "integer" })
          .describe("Exactly."),
        upload_mode: z
          .enum(["auto", "single_put", "multipart"])
          .default("auto")
          .describe("`auto` is multipart above 16 MiB."),
      })
      .meta({ id: "CreateUpload" }),
    codes: { "body.file_name": "invalid_request" },
  },
  responses: {
    200: {
      description: "The session",
      body: UploadSession,
      headers: { "Idempotency-Replayed": "`true` when an earlier request made this session" },
    },
  },
  errors: [
    "invalid_request",
    "invalid_file_type",
    "invalid_size",
    "invalid_idempotency_key",
    "idempotency_conflict",
    "quota_exceeded",
    "rate_limited",
    "feature_disabled",
  ],
} as const;

export const createUpload = defineEndpoint({
  ...CREATE_UPLOAD,
  method: "post",
  path: "/api/v1/assets/uploads",
  operationId: "createUpload",
  tag: "Assets",
  access: { scope: "assets:write", permission: "ws:assets:manage" },
  handle: async (ctx, { body, headers }) => {
    const { session, isReplay } = await create(ctx, {
      fileName: body.file_name,
      sizeBytes: body.size_bytes,
      mode: body.upload_mode,
      idempotencyKey: headers["idempotency-key"],
    });
    return { status: 200, body: session, headers: replayHeaders(isReplay) };
  },
});
