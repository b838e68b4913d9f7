/**
 * The rows of a run as the driver uses them. Two implementations: SQLite in the run object, arrays in the simulation.
 * Every method is synchronous; `commit` is atomic.
 */
import type { ClaimedCharge, ElementDigests, StoredValue } from "../../contracts/runs/task.ts";
import type { ReadingNotes } from "../../contracts/reading-notes.ts";
import type { RunDelta } from "../events/run-delta.ts";
import type { CellFailure, ElementPlace, Reused, TaskReuse } from "../step/cells.ts";
import type { Charge } from "../step/charge.ts";
import type { CellStatus, RunState } from "../step/run-state.ts";

/**
 * A settled element. `body` has the outputs in stored form if ok, the failure as JSON if failed, and is empty
 * otherwise.
 */
export interface CellRow {
  readonly node: number;
  readonly element: number;
  readonly status: CellStatus;
  readonly body: string;
  /** Details of the runner's execution; undefined for elements that the run itself settled. */
  readonly work?: TaskWork | undefined;
  /** The element's charge [E25]; undefined for nothing. Stored with the element. */
  readonly charge?: Charge | undefined;
  /** Digests of an element that the runner executed [E28]. */
  readonly digests?: ElementDigests | undefined;
  /** Set if the element was taken over from another run [E36]. */
  readonly reused?: Reused | undefined;
}

/** Attempts and times of an element that the runner executed. */
export interface TaskWork {
  readonly attempts: number;
  /** Sum over all its attempts. */
  readonly durationMs: number;
}

/** The items that an enumerator opened at one element of its scope. */
export interface AxisRow {
  readonly axis: number;
  readonly parent: number;
  readonly status: CellStatus;
  readonly count: number;
  readonly failure: CellFailure | null;
  /** Set if the items were taken over from another run [E36]. */
  readonly reused?: Reused | undefined;
}

export type NewTask = ElementPlace & TaskReuse;

/** A task whose last report has arrived and is not yet part of the state. */
export interface ReportedTask {
  readonly id: number;
  readonly node: number;
  readonly element: number;
  readonly outcome: (
    | { readonly kind: "ok"; readonly outputs: readonly (readonly [string, StoredValue])[] }
    | { readonly kind: "failed"; readonly failure: CellFailure }
  ) & {
    /** As reported: checked when the report is processed. */
    readonly charge?: ClaimedCharge;
    readonly digests?: ElementDigests;
    /** Set for outputs from the result cache [E41]. */
    readonly reused?: Reused;
    /** The worker says that the outputs depend on what the element received alone [E44]. */
    readonly isPure?: true;
  };
  readonly work?: TaskWork | undefined;
}

/** A task whose element is settled. One that no worker had has no number. */
export type RemovedTask = ElementPlace & Partial<Pick<ReportedTask, "id">>;

/** Elements that an aggregator skipped as failed, summed over its output elements. */
export interface SkippedItems {
  readonly node: number;
  readonly skipped: number;
  readonly of: number;
}

export interface Commit {
  readonly state: RunState;
  /** The changes of the commit, for the log; null if there are none to report. */
  readonly delta?: RunDelta | null;
  readonly cells?: readonly CellRow[];
  readonly axisRows?: readonly AxisRow[];
  readonly tasks?: readonly NewTask[];
  /** The processed tasks by their elements, because an object that was restarted does not know their numbers. */
  readonly removeTasks?: readonly RemovedTask[];
  /** Tasks that wait no more for another element [E44], or for an answer of the cache [E47]: workers may have them. */
  readonly releaseTasks?: readonly ElementPlace[];
  readonly skipped?: readonly SkippedItems[];
  /** About rows that enumerators read; added to earlier notes of the node. */
  readonly notes?: readonly { readonly node: number; readonly notes: ReadingNotes }[];
  /** Cells of a node from this element on, written by an unfinished attempt. */
  readonly dropCells?: { readonly node: number; readonly fromIndex: number };
}

export interface RunRows {
  /** Returns the cells of one node with `from <= element < to`, ascending. */
  cellsBetween(node: number, from: number, to: number): readonly CellRow[];
  cellsAt(node: number, elementIndexes: readonly number[]): readonly CellRow[];
  /** The same, with what each element was charged, its digests, and where it was taken over from. */
  wholeCellsAt(node: number, elementIndexes: readonly number[]): readonly CellRow[];
  /** The tasks that wait for the result of another element [E44]. */
  equalTasks(): readonly (ElementPlace & Required<Pick<TaskReuse, "equalTo">>)[];
  /** The tasks that the cache has not answered, as far as the rows know [E47]. */
  askedTasks(): readonly ElementPlace[];
  axisRows(axis: number): readonly AxisRow[];
  reportedTasks(limit: number): readonly ReportedTask[];
  commit(commit: Commit): void;
}
