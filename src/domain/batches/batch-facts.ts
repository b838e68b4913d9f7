import type { BatchStop } from "../../contracts/batches/batch-states.ts";

/** States of an item, as the ledger and the rows of its object keep them. */
export const ITEM = {
  pending: 0,
  running: 1,
  completed: 2,
  /** Its run was a `partial_success`: counted as completed. */
  partial: 3,
  failed: 4,
  cancelled: 5,
  /** Failed the checks of its batch's creation: counted as failed, has no run, and cannot have one. */
  invalid: 6,
} as const;
export type ItemState = (typeof ITEM)[keyof typeof ITEM];

/** The end of a run, as far as its item depends on it. */
export type RunEnd = "completed" | "partial_success" | "failed" | "cancelled";

/** Limits of a batch that never change. */
export interface BatchBounds {
  /** Items that may be live at once. */
  readonly max_concurrency: number;
  /** Null: no limit. */
  readonly max_failed_items: number | null;
  readonly max_total_milli_credits: number | null;
}

/** The part of a batch's state that is one row. */
export interface BatchFacts {
  /** 0 before the first start. */
  readonly attempt: number;
  /** The id of which the runs of this attempt have numbered ids (`numberedId`); empty before the first start. */
  readonly run_base: string;
  readonly started_at_ms: number | null;
  readonly completed_at_ms: number | null;
  readonly cancel_requested_at_ms: number | null;
  readonly stop: BatchStop | null;
  /** Items of this attempt that failed, without the invalid ones. */
  readonly failed_now: number;
  /** Charged for all runs of all attempts that have ended. */
  readonly used_milli: number;
  /** Number of the last offer of items. */
  readonly offers: number;
  /** Items sent for admission whose outcome is not stored yet. */
  readonly offered: readonly number[];
}

/** The facts of a batch that was never started. */
export const NEW_FACTS: BatchFacts = {
  attempt: 0,
  run_base: "",
  started_at_ms: null,
  completed_at_ms: null,
  cancel_requested_at_ms: null,
  stop: null,
  failed_now: 0,
  used_milli: 0,
  offers: 0,
  offered: [],
};

/** Whether a call has changed the batch, or why it must not. */
export type BatchChange = "changed" | "unchanged" | "invalid_state" | "no_failed_items";
