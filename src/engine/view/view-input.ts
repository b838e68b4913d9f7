/**
 * The data of a run that the result view needs, with all I/O injected: the run object implements it, and tests use
 * arrays. The view has no access to SQL, R2 or a clock.
 */
import type { AsOf, RunStatus } from "../../contracts/runs/run.ts";
import type { WarningCode } from "../../lib/errors/warning-guides.ts";
import type { FileRef } from "../../lib/files/file-ref.ts";
import type { PlanOutput } from "../plan/plan.ts";
import type { CellFailure } from "../step/cells.ts";

/** A failure and its node; null if no node caused it. */
export interface Cause extends CellFailure {
  readonly node_id: string | null;
}

/** A planned output with the node id that its author chose. */
export interface ViewOutput extends Pick<
  PlanOutput,
  "node" | "key" | "type" | "label" | "cardinality" | "required"
> {
  readonly nodeId: string;
  /** The author's name for downloads, with `{index}` not yet replaced. */
  readonly fileName?: string;
}

/** An entry of `diagnostics.warnings`; further fields depend on its code. */
export type ResultWarning = { readonly code: WarningCode } & Readonly<Record<string, unknown>>;

/** The run itself; names include the units of times and amounts. */
interface ViewRun {
  readonly runId: string;
  readonly workflowId: string;
  readonly status: RunStatus;
  readonly isTerminal: boolean;
  /** Null until usage was metered; final when terminal. */
  readonly creditsUsedMilli: number | null;
  /** The result has no credits: for callers who must not see them. */
  readonly hidesCredits?: boolean;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
}

/** The content of one element of an output. */
export type ViewBody =
  /** Plain text of an `output/text`, JSON text of an `output/json`; at most 64 KiB of UTF-8, kept in the row. */
  | { readonly kind: "text"; readonly text: string }
  /** The same if it is too long for a row: UTF-8 bytes in R2. */
  | { readonly kind: "stored_text"; readonly file: FileRef }
  | { readonly kind: "file"; readonly file: FileRef };

export interface ViewCell {
  /** Ascending in the order of pages. */
  readonly element: number;
  /** Positional index on each axis of the output; empty for a single value. */
  readonly indices: readonly number[];
  readonly state: "ok" | "failed" | "blocked" | "absent" | "pending";
  /** Present exactly if `ok`, until the run's outputs expire. */
  readonly body: ViewBody | null;
}

/** Current counters of one output's elements. */
export interface GroupMetadata {
  /** All elements of this output exist and have ended. Never returns to false. */
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
  /** The moment of a past state; absent for the current one. */
  readonly asOf?: AsOf;
  /** In the order of keys (`plan.outputs`). */
  readonly outputs: readonly ViewOutput[];
  /** Output nodes of the selected interface by id; null means all (docs/contract/workflows.md#interfaces). */
  readonly onlyNodeIds: ReadonlySet<string> | null;
  /** `{code, node_id, ...}` objects for `diagnostics.warnings`. */
  readonly warnings: readonly ResultWarning[];
  metadata(output: ViewOutput): GroupMetadata;
  /**
   * Returns at most `limit` elements from `fromIndex` on, by `element`. Once a group is settled this is the
   * lexicographic order of the indices, and the result does not change any more.
   */
  cells(output: ViewOutput, fromIndex: number, limit: number): readonly ViewCell[];
  /**
   * Counts the memory of the page that was just read with `cells`, instead of the page before it. Without room: a promise
   * of it, after which the page must be read again. Absent where pages are not counted.
   */
  holdPage?(cells: readonly ViewCell[]): Promise<void> | undefined;
  /**
   * The reason why an element has no value: the first upstream failure, or the reason why the run did not reach it.
   * Without an element: the reason why the run did not reach the output at all.
   */
  cause(output: ViewOutput, cell: ViewCell | null): Cause | null;
  /** Returns the text of a stored body, null if its bytes are gone. */
  readText(file: FileRef): Promise<string | null>;
  fileUrl(output: ViewOutput, cell: ViewCell, file: FileRef): string;
  /**
   * Returns the address of a body that is stored in a row, for items beyond the budget of values. Served by
   * `RunObjectApi.readCell` through the files route; see `platform/file-url.ts` (`cellUrl`).
   */
  cellUrl(output: ViewOutput, cell: ViewCell): string;
}
