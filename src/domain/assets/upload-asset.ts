import type { Asset } from "../../contracts/files/asset.ts";
import { FormDigest } from "../../formats/form-digest.ts";
import { FormError } from "../../formats/form-error.ts";
import { type FormFile, formBoundary, readFormFile } from "../../formats/form-file-reader.ts";
import type { ReadBytes } from "../../formats/form-stream.ts";
import { AppError } from "../../lib/errors/errors.ts";
import type { CallerContext } from "../../platform/context.ts";
import type { OnceStatements } from "../../storage/d1/idempotency-store.ts";
import type { CreationClaim } from "../idempotency/create-once.ts";
import type { CheckName } from "../embeds/embed-uploads.ts";
import { nameAsset } from "./name-asset.ts";
import { storeAsset } from "./store-asset.ts";

const FIELD = "file";
/**
 * Maximum overhead of a form's boundaries and headers: a file that just fits the quota must not be
 * rejected because of them.
 */
const FORM_BYTES = 1_024;

export interface UploadForm {
  readonly contentType: string | null;
  /** Null if the request does not declare it. */
  readonly contentLength: number | null;
  readonly read: ReadBytes;
}

/**
 * Stores the file of a form as it arrives (docs/contract/assets.md#files). Throws
 * `unsupported_media_type`, `invalid_request` (a form that is malformed or cut short),
 * `invalid_file`, `invalid_file_type`, `invalid_content`, `file_too_large`, `quota_exceeded`.
 */
export async function uploadAsset(
  ctx: CallerContext,
  form: UploadForm,
  claim?: CreationClaim,
  checkName?: CheckName,
): Promise<Asset> {
  return await asRequestErrors(async () => {
    const boundary = formBoundary(form.contentType);
    if (boundary === undefined) {
      throw new AppError(
        "unsupported_media_type",
        `This route accepts a form, and the request has Content-Type: ${form.contentType?.slice(0, 100) ?? "(none)"}. Send multipart/form-data with the file in the field "${FIELD}".`,
      );
    }
    const digest = claim && new FormDigest();
    const file = await readFormFile(form.read, boundary, FIELD, digest);
    if (file === undefined) {
      throw new AppError(
        "invalid_file",
        `The form has no file in the field "${FIELD}". Send the file in this field, with its file name.`,
      );
    }
    checkName?.(nameAsset(file.name, "invalid_file_type").name);
    const once = claim && (() => claim.statements(201, digest?.fingerprint()));
    return await storeFile(ctx, file, form.contentLength, once);
  });
}

async function storeFile(
  ctx: CallerContext,
  file: FormFile,
  contentLength: number | null,
  once: (() => OnceStatements) | undefined,
): Promise<Asset> {
  const named = nameAsset(file.name, "invalid_file_type");
  return await storeAsset(
    ctx,
    {
      named,
      pieces: file.bytes,
      sizeBytesHeld: Math.max(0, (contentLength ?? 0) - FORM_BYTES),
      once,
    },
    "invalid_content",
  );
}

async function asRequestErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof FormError ? new AppError("invalid_request", error.message) : error;
  }
}
