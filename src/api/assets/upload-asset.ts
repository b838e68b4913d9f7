import * as z from "zod";
import { Asset } from "../../contracts/files/asset.ts";
import { uploadAsset as upload } from "../../domain/assets/upload-asset.ts";
import { AppError } from "../../lib/errors/errors.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { takeBody } from "../take-body.ts";
import { createOnce } from "../../domain/idempotency/create-once.ts";
import { fingerprintForm } from "../../domain/idempotency/request-fingerprint.ts";
import { readAsset } from "../../domain/assets/asset-response.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { replayHeaders } from "../replay-headers.ts";

/** The size of the file and of the fields before it. */
const FORM_BYTES_MAX = LIMITS.file.value + 1024 * 1024;

export const uploadAsset = defineEndpoint({
  method: "post",
  path: "/api/v1/assets",
  operationId: "uploadAsset",
  summary: "Upload a file",
  description:
    "A form with one file in the field `file`, at most 250 MB. The extension determines the type, and the bytes are inspected. SVG files are sanitized. Use an upload session for large files.",
  tag: "Assets",
  access: { scope: "assets:write", permission: "ws:assets:manage" },
  createsOnce: true,
  rawBody: {
    contentType: "multipart/form-data",
    schema: z.object({ file: z.string().meta({ format: "binary" }) }),
  },
  responses: { 201: { description: "The stored file", body: Asset } },
  errors: [
    "invalid_request",
    "invalid_file",
    "invalid_file_type",
    "invalid_content",
    "quota_exceeded",
    "file_too_large",
    "unsupported_media_type",
    // A repeat whose resource was deleted since.
    "not_found",
  ],
  handle: async (ctx, { creation }, c) => {
    const { body, headers } = c.req.raw;
    if (body === null) {
      throw new AppError(
        "invalid_file",
        'The request has no body. Send the file in the field "file".',
      );
    }
    const length = headers.get("content-length");
    const contentLength = length === null ? null : Number(length);
    const contentType = headers.get("content-type");
    const { value, isReplay } = await takeBody(ctx, c.req.raw, (read) =>
      createOnce(ctx, creation, {
        create: (claim) => upload(ctx, { contentType, contentLength, read }, claim),
        replay: ({ resourceId }) => readAsset(ctx, resourceId),
        readForm: () => fingerprintForm({ contentType, read }, FORM_BYTES_MAX),
      }),
    );
    return { status: 201, body: value, headers: replayHeaders(isReplay) };
  },
});
