import { LIMITS } from "./limits/limits-table.ts";

/**
 * The rules of idempotency keys (docs/contract/idempotency.md#keys), for every place that stores them:
 * the rows of runs, webhook endpoints and uploads, and the keys of all other creations.
 */

/** How long a key is remembered after its first request. */
export const IDEMPOTENCY_KEPT_MS = LIMITS.idempotency_kept.value;

/** The message of `idempotency_conflict`. */
export const KEY_REUSED =
  "This Idempotency-Key was used with a different request within 24 hours. Send that request again, or use a new key.";

/**
 * Compares a request with the record of its key: `new` if there is no record, `repeat` if the recorded
 * request had the same fingerprint, `conflict` otherwise.
 */
export function compareWithRecord(
  record: { readonly fingerprint: string } | undefined,
  fingerprint: string | null | undefined,
): "new" | "repeat" | "conflict" {
  if (record === undefined) {
    return "new";
  }
  return record.fingerprint === fingerprint ? "repeat" : "conflict";
}
