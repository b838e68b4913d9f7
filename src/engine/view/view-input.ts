/**
 * What the result view needs to know about a run, with all I/O injected: the run object fills it,
 * tests fill it from arrays. The view never sees SQL, R2 or a clock.
 */
import type { RunStatus } from "../../contracts/run.ts";
import type { WarningCode } from "../../lib/warning-guides.ts";
import type { FileRef } from "../../lib/file-ref.ts";
import type { PlanOutput } from "../plan/plan.ts";
import type { CellFailure } from "../step/cells.ts";

/** A failure and the node that it happened at; null where no node is to blame. */
export interface Cause extends CellFailure {
  readonly node_id: string | null;
}

/** A planned output with the id that its author gave the node. */
export interface ViewOutput extends Pick<
  PlanOutput,
  "node" | "key" | "type" | "label" | "cardinality" | "required"
> {
  readonly nodeId: string;
  /** The author's name for downloads, `{index}` in it not replaced yet. */
  readonly fileName?: string;
}

/** An entry of `diagnostics.warnings`; what else it has depends on its code. */
export type ResultWarning = { readonly code: WarningCode } & Readonly<Record<string, unknown>>;

/** The run itself; times and money in the units of their names. */
interface ViewRun {
  readonly runId: string;
  readonly workflowId: string;
  readonly status: RunStatus;
  readonly isTerminal: boolean;
  /** Null until something was metered; final once terminal. */
  readonly creditsUsedMilli: number | null;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
}

/** What one element of an output holds. */
export type ViewBody =
  /** Plain text of an `output/text`, JSON text of an `output/json`; at most 64 KiB of UTF-8, kept in the row. */
  | { readonly kind: "text"; readonly text: string }
  /** The same, too long for a row: UTF-8 bytes in R2. */
  | { readonly kind: "stored_text"; readonly file: FileRef }
  | { readonly kind: "file"; readonly file: FileRef };

export interface ViewCell {
  /** Ascends in the order of pages. */
  readonly element: number;
  /** Positional index on each axis of the output; empty for a single value. */
  readonly indices: readonly number[];
  readonly state: "ok" | "failed" | "blocked" | "absent" | "pending";
  /** Present exactly when `ok`, until the run's outputs expire. */
  readonly body: ViewBody | null;
}

/** Counters of one output's elements, as they stand. */
export interface GroupMetadata {
  /** Every element that this output will ever have exists and has ended. Never goes back to false. */
  readonly isSettled: boolean;
  /** One of its axes is absent as a whole (docs/contract/iteration.md#cells). */
  readonly isAxisAbsent: boolean;
  readonly ok: number;
  /** Failed and blocked. */
  readonly failed: number;
  readonly absent: number;
  /** Elements that exist and have not ended. */
  readonly pending: number;
}

export interface ViewInput {
  readonly run: ViewRun;
  /** In the order of keys (`plan.outputs`). */
  readonly outputs: readonly ViewOutput[];
  /** The chosen interface's output nodes by id; null means all (docs/contract/workflows.md#interfaces). */
  readonly onlyNodeIds: ReadonlySet<string> | null;
  /** `{code, node_id, ...}` objects for `diagnostics.warnings`. */
  readonly warnings: readonly ResultWarning[];
  metadata(output: ViewOutput): GroupMetadata;
  /**
   * At most `limit` elements whose `element` is `fromIndex` or more, by `element`. Once a group is settled
   * that is the lexicographic order of the indices, and what is answered no longer changes.
   */
  cells(output: ViewOutput, fromIndex: number, limit: number): readonly ViewCell[];
  /**
   * Why an element has no value: the first failure upstream of it, or what kept the run from
   * reaching it. Without an element: why the run never came to the output at all.
   */
  cause(output: ViewOutput, cell: ViewCell | null): Cause | null;
  /** The text of a stored body, null when its bytes are gone. */
  readText(file: FileRef): Promise<string | null>;
  fileUrl(output: ViewOutput, cell: ViewCell, file: FileRef): string;
  /**
   * Address of a body that lives in a row, for items beyond the budget of values. Served by
   * `RunObjectApi.readCell` through the files route; see `platform/file-url.ts` (`cellUrl`).
   */
  cellUrl(output: ViewOutput, cell: ViewCell): string;
}
