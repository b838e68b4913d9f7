import * as z from "zod";
import { Asset } from "../../contracts/files/asset.ts";
import { uploadAsset as upload } from "../../domain/assets/upload-asset.ts";
import { AppError } from "../../lib/errors/errors.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { takeBody } from "../take-body.ts";
import { type CreationKey, createOnce } from "../../domain/idempotency/create-once.ts";
import { fingerprintForm } from "../../domain/idempotency/request-fingerprint.ts";
import type { CheckName } from "../../domain/embeds/embed-uploads.ts";
import type { CallerContext } from "../../platform/context.ts";
import { readAsset } from "../../domain/assets/asset-response.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { replayHeaders } from "../replay-headers.ts";

/** The size of the file and of the fields before it. */
const FORM_BYTES_MAX = LIMITS.file.value + 1024 * 1024;

/** The parts of the route that the route of embeds shares. */
export const UPLOAD_ASSET = {
  summary: "Upload a file",
  description:
    "A form with one file in the field `file`, at most 250 MB. The extension determines the type, and the bytes are inspected. SVG files are sanitized. Use an upload session for large files.",
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
} as const;

export const uploadAsset = defineEndpoint({
  ...UPLOAD_ASSET,
  method: "post",
  path: "/api/v1/assets",
  operationId: "uploadAsset",
  tag: "Assets",
  access: { scope: "assets:write", permission: "ws:assets:manage" },
  handle: (ctx, { creation }, c) => storeUpload(ctx, creation, c.req.raw),
});

/** Stores the file of a form once for each key. `checkName` refuses names that an embed does not accept. */
export async function storeUpload(
  ctx: CallerContext,
  creation: CreationKey | undefined,
  request: Request,
  checkName?: CheckName,
) {
  const { body, headers } = request;
  if (body === null) {
    throw new AppError(
      "invalid_file",
      'The request has no body. Send the file in the field "file".',
    );
  }
  const length = headers.get("content-length");
  const contentLength = length === null ? null : Number(length);
  const contentType = headers.get("content-type");
  const { value, isReplay } = await takeBody(ctx, request, (read) =>
    createOnce(ctx, creation, {
      create: (claim) => upload(ctx, { contentType, contentLength, read }, claim, checkName),
      replay: ({ resourceId }) => readAsset(ctx, resourceId),
      readForm: () => fingerprintForm({ contentType, read }, FORM_BYTES_MAX),
    }),
  );
  return { status: 201, body: value, headers: replayHeaders(isReplay) } as const;
}
