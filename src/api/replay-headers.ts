/**
 * The header that tells a repeat that an earlier request with its key was executed
 * (docs/contract/idempotency.md#replays).
 */
export function replayHeaders(isReplay: boolean): Readonly<Record<string, string>> {
  return isReplay ? { "Idempotency-Replayed": "true" } : {};
}
