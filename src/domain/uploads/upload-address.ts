import { createHmac } from "node:crypto";
import { URL_LIFETIME_MS, type UploadMetadata } from "../../contracts/files/upload.ts";
import { sameBytes } from "../../lib/same-bytes.ts";
import type { AppContext } from "../../platform/context.ts";
import { presignUrl } from "../../storage/s3/presign-url.ts";
import { directStore } from "./direct-store.ts";

export interface UploadAddress {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly expiresAtMs: number;
}

/**
 * The upload address of a single file, or of one part of it. `md5` is that of a part, in base64.
 */
export function uploadAddress(
  ctx: AppContext,
  metadata: UploadMetadata,
  part: { readonly number: number; readonly md5: string } | null,
): UploadAddress {
  const nowMs = ctx.nowMs();
  const expiresAtMs = nowMs + URL_LIFETIME_MS;
  const headers: Readonly<Record<string, string>> =
    part === null ? { "Content-Type": metadata.content_type } : { "Content-MD5": part.md5 };
  const direct = metadata.is_direct ? directStore(ctx.env) : undefined;
  if (direct !== undefined) {
    const url = presignUrl(
      direct.account,
      {
        method: "PUT",
        path: `/${direct.bucket}/${metadata.key}`,
        ...(part !== null && {
          query: { partNumber: String(part.number), uploadId: metadata.r2_upload_id ?? "" },
        }),
        headers: Object.fromEntries(
          Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
        ),
        expiresSeconds: URL_LIFETIME_MS / 1000,
      },
      nowMs,
    );
    return { url, headers, expiresAtMs };
  }
  const expires = Math.floor(expiresAtMs / 1000);
  const signed = {
    uploadId: metadata.upload_id,
    part: part?.number ?? null,
    expires,
    header: part?.md5 ?? metadata.content_type,
  };
  const query = new URLSearchParams({
    ...(part !== null && { part: String(part.number) }),
    expires: String(expires),
    signature: sign(ctx, signed),
  });
  return {
    url: `${ctx.baseUrl}/uploads/${metadata.upload_id}?${query.toString()}`,
    headers,
    expiresAtMs: expires * 1000,
  };
}

interface Signed {
  readonly uploadId: string;
  readonly part: number | null;
  readonly expires: number;
  /** Content-Type of a single PUT, Content-MD5 of a part. */
  readonly header: string;
}

/** Whether this service signed the address and header, at any time. */
export function isSignedUpload(ctx: AppContext, signed: Signed, signature: string): boolean {
  const utf8 = new TextEncoder();
  return sameBytes(utf8.encode(signature), utf8.encode(sign(ctx, signed)));
}

function sign(ctx: AppContext, { uploadId, part, expires, header }: Signed): string {
  // The label separates this use of the secret from all others.
  return createHmac("sha256", `uploads|${ctx.env.JWT_SECRET}`)
    .update(`${uploadId}\n${part === null ? "" : String(part)}\n${expires}\n${header}`)
    .digest("base64url");
}
