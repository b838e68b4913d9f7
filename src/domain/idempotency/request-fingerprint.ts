import { canonicalJson } from "../../lib/canonical-json.ts";
import type { JsonValue } from "../../lib/exact-json.ts";

/** SHA-256 of the canonical JSON of a parsed body, in hex (docs/contract/idempotency.md#fingerprints). */
export async function requestFingerprint(body: JsonValue): Promise<string> {
  const bytes = new TextEncoder().encode(canonicalJson(body));
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
