import type { GiveBackReason } from "../../lib/task-given-back.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import type { CellFailure } from "./cells.ts";

/** [E30] A task that is given back more often than this fails. */
export const GIVE_BACKS_MAX = LIMITS.give_backs.value;
const FIRST_DELAY_MS = 500;
const DELAY_MAX_MS = 60_000;

/**
 * [E30] Returns the delay, in milliseconds, before a task that was given back for the `givenBack`th time (from 1) is
 * offered again; null if it was given back too often. Exponential backoff, half of it jitter, so that workers have time
 * to start. `random` is in [0, 1).
 */
export function giveBackDelayMs(givenBack: number, random: number): number | null {
  if (givenBack > GIVE_BACKS_MAX) {
    return null;
  }
  const ceiling = Math.min(FIRST_DELAY_MS * 2 ** (givenBack - 1), DELAY_MAX_MS);
  return Math.floor((ceiling * (1 + random)) / 2);
}

const REASONS: Readonly<Record<GiveBackReason, string>> = {
  shutdown: "was shutting down",
  no_memory: "had no memory for it",
  wrong_worker: "did not have the node type or its tools",
  environment: "was not configured for it",
};

/** [E30] The failure of an element whose task was given back too often. */
export function givenBackTooOften(reason: GiveBackReason): CellFailure {
  return {
    code: "NO_WORKER_AVAILABLE",
    message: `The task was given back ${GIVE_BACKS_MAX + 1} times; the last worker ${REASONS[reason] ?? "gave no reason"}. Nothing in the workflow causes this; run it again later.`,
  };
}
