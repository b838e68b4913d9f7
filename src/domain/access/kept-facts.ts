/**
 * How long an organization's access object may believe what it read from D1 (docs/decisions/organization-access.md).
 * Writers announce each change before and after their write to D1, so a kept fact is stale only if a writer ended in
 * between.
 */

/** The subject of changes of the plans of an organization's workspaces; a key's subject is its id. */
export const PLANS = "plans";

/** From an announced change to its end, D1 is asked each time: the write may still be under way. An end may be lost. */
export const DOUBT_MS = 60_000;

/** A fact is read again at this age, if an announcement was lost in a way that nobody thought of. */
export const FACTS_AGE_MAX_MS = 20 * 60_000;

export interface KeptFact {
  readonly readAtMs: number;
}

/** Whether facts of a subject are doubted. `doubtedUntilMs` is undefined if no change was announced. */
export function isDoubted(doubtedUntilMs: number | undefined, nowMs: number): boolean {
  return doubtedUntilMs !== undefined && nowMs < doubtedUntilMs;
}

/** Whether a kept fact may be returned. A clock that was set back makes it useless. */
export function isBelieved(
  { readAtMs }: KeptFact,
  doubtedUntilMs: number | undefined,
  nowMs: number,
): boolean {
  const ageMs = nowMs - readAtMs;
  return !isDoubted(doubtedUntilMs, nowMs) && ageMs >= 0 && ageMs < FACTS_AGE_MAX_MS;
}
