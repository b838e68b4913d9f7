import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import type { ReadBytes } from "../../formats/form-stream.ts";
import { AppError } from "../../lib/errors/errors.ts";
import { unwrap } from "../../lib/result.ts";
import type { AppContext } from "../../platform/context.ts";
import { uploadObject } from "../../storage/objects/upload-object.ts";
import { putExact, SizeError } from "../../storage/r2/put-exact.ts";
import { requireUploads } from "./require-uploads.ts";
import { isSignedUpload } from "./upload-address.ts";

export interface PutUpload {
  readonly uploadId: string;
  readonly part: number | null;
  readonly expires: number;
  readonly signature: string;
  readonly contentType: string | null;
  readonly contentMd5: string | null;
  readonly contentLength: number | null;
  readonly read: ReadBytes;
}

/**
 * Receives the bytes of a session or of one of its parts, directly into the store, at an address
 * signed by this service. Returns the ETag. Throws `feature_disabled`, `forbidden` (signature,
 * header or time), `not_found`, `upload_expired`, `conflict`, `file_too_large`, `invalid_size`,
 * `content_mismatch` (MD5).
 */
export async function putUpload(ctx: AppContext, put: PutUpload): Promise<string> {
  requireUploads(ctx);
  const { uploadId, part, expires } = put;
  const header = (part === null ? put.contentType : put.contentMd5) ?? "";
  if (!isSignedUpload(ctx, { uploadId, part, expires, header }, put.signature)) {
    throw new AppError(
      "forbidden",
      `The address or the header ${part === null ? "Content-Type" : "Content-MD5"} does not match the signature. Send upload_url and all of required_headers verbatim.`,
    );
  }
  if (expires * 1000 <= ctx.nowMs()) {
    throw new AppError(
      "forbidden",
      "This address has expired after 15 minutes. Read the session, or sign the part again, to get a new one.",
    );
  }
  const object = uploadObject(ctx, uploadId);
  const grant = unwrap(await object.beginPut({ v: 1, part }));
  checkLength(part, put.contentLength, grant.size_bytes);
  const md5 = part === null ? undefined : createHash("md5");
  const stored = await asSizeErrors(part, grant.size_bytes, () =>
    putExact(ctx.env.FILES, {
      key: grant.key,
      contentType: grant.content_type,
      name: grant.name,
      sizeBytes: grant.size_bytes,
      part: part === null ? undefined : { number: part, uploadId: grant.r2_upload_id ?? "" },
      read: put.read,
      onBytes: (bytes) => md5?.update(bytes),
    }),
  );
  if (
    md5 !== undefined &&
    md5.digest("base64") !== Buffer.from(header, "base64").toString("base64")
  ) {
    // The store has the part but the session has no receipt of it (any more): the part does not
    // count and must be sent again.
    throw new AppError(
      "content_mismatch",
      `The bytes of part ${String(part)} do not match the signed MD5. Send the part again.`,
    );
  }
  const committed = await object.commitPut({
    v: 1,
    part,
    key: grant.key,
    etag: stored.etag,
    size_bytes: grant.size_bytes,
  });
  if (!committed.ok && part === null) {
    await ctx.env.FILES.delete(grant.key);
  }
  unwrap(committed);
  return stored.etag;
}

function checkLength(part: number | null, contentLength: number | null, sizeBytes: number): void {
  if (contentLength !== null && contentLength !== sizeBytes) {
    throw contentLength > sizeBytes ? tooMany(part, sizeBytes) : tooFew(part, sizeBytes);
  }
}

async function asSizeErrors<T>(
  part: number | null,
  sizeBytes: number,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SizeError) {
      throw error.isOver ? tooMany(part, sizeBytes) : tooFew(part, sizeBytes);
    }
    throw error;
  }
}

function tooMany(part: number | null, sizeBytes: number): AppError {
  return new AppError(
    "file_too_large",
    part === null
      ? `The body has more than the announced ${sizeBytes} bytes. Create a session with the file's exact size.`
      : `The body has more than the ${sizeBytes} bytes of part ${part}. Send exactly this part of the file. If the file is larger than announced, create a session with its exact size.`,
  );
}

function tooFew(part: number | null, sizeBytes: number): AppError {
  return new AppError(
    "invalid_size",
    part === null
      ? `The body has fewer than the announced ${sizeBytes} bytes. Send the whole file again.`
      : `The body has fewer than the ${sizeBytes} bytes of part ${part}. Send the whole part again.`,
  );
}
