import {
  PARALLEL_PARTS,
  PART_BYTES,
  type UploadRecord,
  type UploadSession,
} from "../../contracts/files/upload.ts";
import type { AppContext } from "../../platform/context.ts";
import { uploadAddress } from "./upload-address.ts";

const STATUS = {
  pending: "pending",
  finalizing: "in_progress",
  finalized: "finalized",
  failed: "failed",
} as const;

/**
 * The public view of a session (docs/contract/assets.md#upload-sessions); `withParts` lists every
 * part with its receipt.
 */
export function sessionResponse(
  ctx: AppContext,
  record: UploadRecord,
  withParts = false,
): UploadSession {
  const { facts: metadata, state } = record;
  const isMultipart = metadata.strategy === "multipart";
  return {
    status: STATUS[state],
    upload_id: metadata.upload_id,
    file_name: metadata.name,
    content_type: metadata.content_type,
    max_size_bytes: metadata.size_bytes,
    strategy: metadata.strategy,
    finalize_expires_at: new Date(metadata.finalize_expires_at_ms).toISOString(),
    ...(state === "pending" && !isMultipart && singlePut(ctx, record)),
    ...(isMultipart && {
      part_size_bytes: PART_BYTES,
      total_parts: metadata.total_parts,
      checksum_algorithm: "md5" as const,
      recommended_parallel_parts: PARALLEL_PARTS,
      recommended_max_in_flight_bytes: PARALLEL_PARTS * PART_BYTES,
    }),
    ...(isMultipart && withParts && { parts: partsOf(record) }),
    ...(state === "finalized" && {
      path: metadata.path,
      size_bytes: record.stored_size_bytes ?? metadata.size_bytes,
    }),
    ...(record.error !== null && {
      error_code: record.error.code,
      error_message: record.error.message,
    }),
  };
}

function singlePut(ctx: AppContext, { facts: metadata }: UploadRecord) {
  const { url, headers, expiresAtMs } = uploadAddress(ctx, metadata, null);
  return {
    upload_url: url,
    upload_method: "PUT" as const,
    required_headers: { ...headers },
    url_expires_at: new Date(expiresAtMs).toISOString(),
  };
}

function partsOf({ facts: metadata, parts }: UploadRecord) {
  const receipts = new Map(parts.map((part) => [part.part_number, part]));
  return Array.from({ length: metadata.total_parts }, (_, index) => {
    const number = index + 1;
    const receipt = receipts.get(number);
    return {
      part_number: number,
      confirmed: receipt !== undefined,
      size_bytes: receipt?.size_bytes ?? expectedPartSize(metadata, number),
      etag: receipt?.etag ?? null,
    };
  });
}

/** All parts but the last have the same size; the last has what remains. */
export function expectedPartSize(
  metadata: { readonly size_bytes: number; readonly total_parts: number },
  number: number,
): number {
  return number < metadata.total_parts
    ? PART_BYTES
    : metadata.size_bytes - PART_BYTES * (metadata.total_parts - 1);
}
