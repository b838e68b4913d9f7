import type { RunStatus } from "../../src/contracts/runs/run.ts";

/** Progress of a run's start. */
export const PHASE = {
  /** Admitted; the run object may not know it yet. */
  starting: 0,
  /** The run object has it. */
  acknowledged: 1,
  ended: 2,
} as const;

/** Whether a run has a slot of the plan's concurrency. */
export const SLOT = {
  taken: 0,
  /** Accepted beyond the plan's concurrency: waits. */
  held: 1,
  /** Has a slot, and its run object has not been told yet. */
  promoted: 2,
  /** Failed at admission for lack of credits: it never waits for one. */
  refused: 3,
} as const;

/** A run as the object needs it. */
export interface KnownRun {
  readonly seq: number;
  readonly run_id: string;
  readonly workflow: number;
  readonly workflow_id: string;
  readonly status: RunStatus;
  readonly phase: number;
  readonly slot: number;
  readonly is_live: number;
  readonly batch: string | null;
  /** 0, 1, or 2 if the start is stored in pieces. */
  readonly has_start: number;
  /** Key of the values of a long start. */
  readonly values_key: string | null;
}
