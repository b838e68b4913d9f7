import * as z from "zod";
import { putUpload } from "../../domain/uploads/put-upload.ts";
import { AppError } from "../../lib/errors/errors.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";
import { takeBody } from "../take-body.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

const digits = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number);

export const putUploadBytes = defineEndpoint({
  method: "put",
  path: "/uploads/{upload_id}",
  operationId: "putUploadBytes",
  summary: "Put the bytes of an upload session",
  description:
    "The `upload_url` of a session or a part, exactly as it was returned. It is signed and needs no token.",
  tag: "Files",
  access: "public",
  isUndocumented: true,
  request: {
    params: z.object({ upload_id: idField("upload") }),
    query: z.object({
      part: digits.optional(),
      expires: digits,
      signature: z.string().max(LIMITS.signature.value),
    }),
    codes: {
      "query.expires": "forbidden",
      "query.signature": "forbidden",
      "query.part": "forbidden",
    },
  },
  responses: { 200: { description: "Stored; the ETag is the receipt" } },
  errors: [
    "forbidden",
    "not_found",
    "conflict",
    "upload_expired",
    "file_too_large",
    "invalid_size",
    "content_mismatch",
    "feature_disabled",
  ],
  handle: async (ctx, { params, query }, c) => {
    const { body, headers } = c.req.raw;
    if (body === null) {
      throw new AppError("invalid_size", "The request has no body. PUT the file's bytes.");
    }
    const length = headers.get("content-length");
    const etag = await takeBody(
      ctx,
      c.req.raw,
      async (read) =>
        await putUpload(ctx, {
          uploadId: params.upload_id,
          part: query.part ?? null,
          expires: query.expires,
          signature: query.signature,
          contentType: headers.get("content-type"),
          contentMd5: headers.get("content-md5"),
          contentLength: length === null ? null : Number(length),
          read,
        }),
    );
    return { status: 200, headers: { etag: `"${etag}"` } };
  },
});
