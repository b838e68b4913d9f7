import { canonicalJson } from "../../lib/json/canonical-json.ts";
import type { JsonValue } from "../../lib/json/exact-json.ts";
import { FormDigest } from "../../formats/form-digest.ts";
import { FormError } from "../../formats/form-error.ts";
import { formBoundary } from "../../formats/form-file-reader.ts";
import { FormStream, type ReadBytes } from "../../formats/form-stream.ts";
import { AppError } from "../../lib/errors/errors.ts";

/** SHA-256 of the canonical JSON of a parsed body, in hex (docs/contract/idempotency.md#fingerprints). */
export async function requestFingerprint(body: JsonValue): Promise<string> {
  const bytes = new TextEncoder().encode(canonicalJson(body));
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** No form of that size was stored before. */
const TOO_LARGE = "larger than any";

/**
 * Reads a form without storing it, and returns its fingerprint (`FormDigest`); past `maxBytes`, a
 * text that equals no fingerprint. Throws `unsupported_media_type`, `invalid_request`.
 */
export async function fingerprintForm(
  form: { readonly contentType: string | null; readonly read: ReadBytes },
  maxBytes: number,
): Promise<string> {
  try {
    const boundary = formBoundary(form.contentType);
    if (boundary === undefined) {
      throw new AppError("unsupported_media_type", "This route accepts multipart/form-data.");
    }
    const digest = new FormDigest();
    const stream = new FormStream(form.read, boundary, digest);
    let bytes = 0;
    await stream.start();
    while ((await stream.nextPart()) !== undefined) {
      for await (const piece of stream.partBytes()) {
        bytes += piece.byteLength;
        if (bytes > maxBytes) {
          return TOO_LARGE;
        }
      }
    }
    return digest.fingerprint();
  } catch (error) {
    throw error instanceof FormError ? new AppError("invalid_request", error.message) : error;
  }
}
