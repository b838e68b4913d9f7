/** What the object of a run tells a retry of it: the run object of that retry, and the API that submits it. */
import type { Result } from "../../lib/result.ts";
import type { ReadingNotes } from "../reading-notes.ts";
import type { ElementDigests } from "./task.ts";
import type { AdmissionLimits, RunStart, RunStatus } from "./run.ts";

type SettledStatus = "ok" | "failed" | "blocked" | "absent";

interface Reused {
  readonly execution: string;
  readonly milliCredits: number;
}

/** A settled element as the rows of its run have it (`CellRow`). */
export interface SourceCell {
  readonly node: number;
  readonly element: number;
  readonly status: SettledStatus;
  readonly body: string;
  readonly charge?: { readonly milliCredits: number; readonly quantity: number | null } | undefined;
  readonly digests?: ElementDigests | undefined;
  readonly reused?: Reused | undefined;
}

/** The items that an enumerator opened at one element (`AxisRow`). */
export interface SourceAxisRow {
  readonly axis: number;
  readonly parent: number;
  readonly status: SettledStatus;
  readonly count: number;
  readonly failure: { readonly code: string; readonly message: string } | null;
  readonly reused?: Reused | undefined;
}

/** `holder`: id of the retry, whose run keeps the values and files of the source until its own outputs are removed. */
export interface OpenSourceRequest {
  readonly v: 1;
  readonly workspace_id: string;
  readonly holder: string;
}

/** Everything of a run but its cells, as its object has it. */
export interface OpenedSource {
  readonly run_id: string;
  readonly workflow_id: string;
  readonly workflow_version: number;
  readonly is_draft: boolean;
  readonly definition_json: string;
  /** `RunStart.references` as JSON text. */
  readonly references_json: string;
  readonly parameter_overrides: RunStart["parameter_overrides"];
  /** As the run's metadata has it (`packOutline`). */
  readonly outline: unknown;
  /** As the run's rows have it (`encodeState`). */
  readonly state: string;
  readonly axis_rows: readonly SourceAxisRow[];
  /** Of its enumerators, by node. */
  readonly notes: readonly (readonly [node: number, notes: ReadingNotes])[];
}

/** A range of the elements of one node, or of several that share them. */
export interface SourceCellsRequest {
  readonly v: 1;
  readonly workspace_id: string;
  readonly node: number;
  /** Further nodes, of which the same elements are read. */
  readonly beside?: readonly number[];
  readonly from: number;
  readonly to: number;
}

/** The settled ones of a range. `next`: the element to continue from; null at the end of the range. */
export interface SourceCellsPage {
  readonly cells: readonly SourceCell[];
  readonly next: number | null;
}

/** Elements that are to run again although they have a result. */
export interface RetryRerun {
  readonly node: string;
  /** Null: all elements of the node. */
  readonly indices: readonly (readonly number[])[] | null;
}

export interface DescribeSourceRequest {
  readonly v: 1;
  readonly workspace_id: string;
  readonly rerun: RetryRerun | null;
}

/** What a submit of a retry needs of its source. */
export interface SourceDescription {
  readonly workflow_id: string;
  readonly workflow_version: number;
  readonly is_draft: boolean;
  readonly interface_id: string | null;
  readonly status: RunStatus;
  readonly admission_limits: AdmissionLimits;
  readonly definition_json: string;
  /** `RunStart.references` as JSON text. */
  readonly references_json: string;
  readonly retry_root: string | null;
  /** The values of its inputs, as they are stored. */
  readonly inputs: readonly { readonly node_id: string; readonly stored: string }[];
  readonly parameter_overrides: RunStart["parameter_overrides"];
  /** Positions in `rerun.indices` of elements that the run does not have; of many, the first ones. */
  readonly unknown_indices: readonly number[];
  /**
   * How many elements of each node run in a retry with the same definition and inputs; nodes without an entry are not
   * known before the retry has matched them. Null if this code cannot tell.
   */
  readonly runs: readonly { readonly node_id: string; readonly elements: number }[] | null;
}

/**
 * `reading`: the retry may still read values of the source. `keeping`: it has ended, and its results refer to files of
 * the source. `gone`: it needs nothing of the source any more.
 */
export type HoldState = "reading" | "keeping" | "gone";

export interface RunSourceApi {
  /** Keeps the run's values for the holder. `outputs_expired` if they are not kept any more. */
  openSource(request: OpenSourceRequest): Promise<Result<OpenedSource>>;
  readSource(request: SourceCellsRequest): Promise<Result<SourceCellsPage>>;
  /** `invalid_state` for a run that has not ended, `outputs_expired`. */
  describeSource(request: DescribeSourceRequest): Promise<Result<SourceDescription>>;
  /** What a retry still needs of its source. */
  holdState(request: { v: 1; workspace_id: string }): Promise<HoldState>;
}
