/** The header by which a repeat knows that an earlier request with its key was carried out (docs/contract/idempotency.md#replays). */
export function replayHeaders(isReplay: boolean): Readonly<Record<string, string>> {
  return isReplay ? { "Idempotency-Replayed": "true" } : {};
}
