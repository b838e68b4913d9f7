/**
 * What a run keeps in rows, as the driver sees it. Two implementations: SQLite in the run object,
 * arrays in the simulation. Every method is synchronous; `commit` is all or nothing.
 */
import type { ClaimedCharge, ElementDigests, StoredValue } from "../../contracts/task.ts";
import type { ReadingNotes } from "../../contracts/reading-notes.ts";
import type { RunDelta } from "../events/run-delta.ts";
import type { CellFailure } from "../step/cells.ts";
import type { Charge } from "../step/charge.ts";
import type { CellStatus, RunState } from "../step/run-state.ts";

/** A settled element. `body` is outputs in stored form when ok, the failure as JSON when failed, else empty. */
export interface CellRow {
  readonly node: number;
  readonly element: number;
  readonly status: CellStatus;
  readonly body: string;
  /** How the runner fared with it; undefined for what the run itself did. */
  readonly work?: TaskWork | undefined;
  /** What the element is charged [E25]; undefined for nothing. Kept with the element. */
  readonly charge?: Charge | undefined;
  /** Of an element that the runner ran [E28]. */
  readonly digests?: ElementDigests | undefined;
}

/** What it took to settle an element that the runner ran. */
export interface TaskWork {
  readonly attempts: number;
  /** Of all its attempts together. */
  readonly durationMs: number;
}

/** What an enumerator opened at one element of its scope. */
export interface AxisRow {
  readonly axis: number;
  readonly parent: number;
  readonly status: CellStatus;
  readonly count: number;
  readonly failure: CellFailure | null;
}

export interface NewTask {
  readonly node: number;
  readonly element: number;
}

/** A task whose last report has come in and waits to be taken into the state. */
export interface ReportedTask {
  readonly id: number;
  readonly node: number;
  readonly element: number;
  readonly outcome: (
    | { readonly kind: "ok"; readonly outputs: readonly (readonly [string, StoredValue])[] }
    | { readonly kind: "failed"; readonly failure: CellFailure }
  ) & {
    /** As the report had it: judged when the report is taken in. */
    readonly charge?: ClaimedCharge;
    readonly digests?: ElementDigests;
  };
  readonly work?: TaskWork | undefined;
}

/** Elements an aggregator skipped as failed, summed over its output elements. */
export interface SkippedItems {
  readonly node: number;
  readonly skipped: number;
  readonly of: number;
}

export interface Commit {
  readonly state: RunState;
  /** What it changed, for the log; null when nobody need be told. */
  readonly delta?: RunDelta | null;
  readonly cells?: readonly CellRow[];
  readonly axisRows?: readonly AxisRow[];
  readonly tasks?: readonly NewTask[];
  /** Reported tasks now taken in, by their elements: an object that has lost its memory knows no number. */
  readonly removeTasks?: readonly Pick<ReportedTask, "id" | "node" | "element">[];
  readonly skipped?: readonly SkippedItems[];
  /** Of rows that enumerators read; added to what was noted of the node before. */
  readonly notes?: readonly { readonly node: number; readonly notes: ReadingNotes }[];
  /** Cells of a node from this element on, written by an attempt that did not end. */
  readonly dropCells?: { readonly node: number; readonly fromIndex: number };
}

export interface RunRows {
  /** Cells of one node with `from <= element < to`, ascending. */
  cellsBetween(node: number, from: number, to: number): readonly CellRow[];
  cellsAt(node: number, elementIndexes: readonly number[]): readonly CellRow[];
  axisRows(axis: number): readonly AxisRow[];
  reportedTasks(limit: number): readonly ReportedTask[];
  commit(commit: Commit): void;
}
