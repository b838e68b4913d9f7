import type { PartGrant } from "../../contracts/files/upload.ts";
import { AppError, type FieldError } from "../../lib/errors/errors.ts";
import { unwrap } from "../../lib/result.ts";
import type { CallerContext } from "../../platform/context.ts";
import { uploadObject } from "../../storage/objects/upload-object.ts";
import { requireUploads } from "./require-uploads.ts";
import { expectedPartSize } from "./session-response.ts";
import { uploadAddress } from "./upload-address.ts";

export interface PartRequest {
  readonly part_number: number;
  readonly size_bytes: number;
  readonly checksum_base64: string;
}

/**
 * Addresses for uploading parts, each bound to its part's MD5
 * (docs/contract/assets.md#upload-sessions). Throws `feature_disabled`, `not_found`, `forbidden`,
 * `invalid_state`, `conflict`, `upload_expired`, `validation_error`, `invalid_size`.
 */
export async function signParts(
  ctx: CallerContext,
  uploadId: string,
  parts: readonly PartRequest[],
): Promise<{ parts: PartGrant[] }> {
  requireUploads(ctx);
  const { facts: metadata, state } = unwrap(
    await uploadObject(ctx, uploadId).read({ v: 1, workspace_id: ctx.principal.workspaceId }),
  );
  if (metadata.strategy !== "multipart") {
    throw new AppError(
      "invalid_state",
      "This session is uploaded by a single PUT to its upload_url and has no parts.",
    );
  }
  if (state !== "pending") {
    throw new AppError("conflict", "The session is completed and does not accept more parts.");
  }
  const errors: FieldError[] = [];
  let hasWrongSize = false;
  parts.forEach((part, index) => {
    if (part.part_number > metadata.total_parts) {
      errors.push({
        field: `parts[${index}].part_number`,
        message: `Must be from 1 to ${metadata.total_parts}.`,
      });
      return;
    }
    const expected = expectedPartSize(metadata, part.part_number);
    if (part.size_bytes !== expected) {
      hasWrongSize = true;
      errors.push({
        field: `parts[${index}].size_bytes`,
        message: `Part ${part.part_number} has exactly ${expected} bytes, not ${part.size_bytes}.`,
      });
    }
  });
  const [first] = errors;
  if (first !== undefined) {
    throw new AppError(
      hasWrongSize ? "invalid_size" : "validation_error",
      `${first.field}: ${first.message}`,
      { errors },
    );
  }
  return {
    parts: parts.map(({ part_number, checksum_base64 }) => {
      const address = uploadAddress(ctx, metadata, { number: part_number, md5: checksum_base64 });
      return {
        part_number,
        upload_url: address.url,
        upload_method: "PUT" as const,
        required_headers: { ...address.headers },
        expires_at: new Date(address.expiresAtMs).toISOString(),
      };
    }),
  };
}
