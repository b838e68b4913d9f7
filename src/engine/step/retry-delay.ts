import { LIMITS } from "../../lib/limits/limits-table.ts";

/** First attempt and at most three retries (docs/contract/iteration.md#retries). */
export const ATTEMPTS_MAX = LIMITS.attempts.value;
const FIRST_DELAY_MS = 500;
const DELAY_MAX_MS = 30_000;

/**
 * Exponential backoff with full jitter, in milliseconds; a provider's `Retry-After` is a floor.
 * `attempt` counts from 1, `random` is in [0, 1).
 */
export function retryDelayMs(attempt: number, random: number, retryAfterMs: number | null): number {
  const ceiling = Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), DELAY_MAX_MS);
  return Math.max(Math.floor(random * ceiling), retryAfterMs ?? 0, 1);
}
