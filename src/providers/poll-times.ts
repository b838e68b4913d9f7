const FIRST_MS = 500;
const GROWTH = 1.5;
const LONGEST_MS = 5_000;

/** The time until a job is asked for next, after `polls` polls (docs/contract/models.md#jobs). */
export function nextPollMs(polls: number): number {
  return Math.min(LONGEST_MS, FIRST_MS * GROWTH ** polls);
}
