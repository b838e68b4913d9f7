/** RPC interface of the run object for comparisons of two runs. */
import type { Result } from "../../lib/result.ts";
import type { ExecutionListItem } from "./execution-requests.ts";
import type { RunStart } from "./run.ts";
import type { RunReadRequest } from "./run-object-api.ts";
import type { StoredValue } from "./task.ts";
import type { Trace } from "./trace.ts";

/** An output of the run's interface. */
export interface ComparableOutput {
  /** Index of the output node in the plan. */
  readonly node: number;
  readonly key: string;
  readonly type: string;
  readonly state: "present" | "absent" | "missing";
}

/** A submitted input that has a value. */
export interface ComparableInput {
  readonly node_id: string;
  /** Number of the cell's node; below zero for a value that the input processes. */
  readonly node: number;
  readonly content: string;
}

/** An ended run, without its elements. */
export interface ComparableRun {
  readonly execution: ExecutionListItem;
  readonly trace: Trace;
  readonly definition_json: string;
  readonly inputs: readonly ComparableInput[];
  /** Values that a custom interface has set on parameters. */
  readonly parameters: RunStart["parameter_overrides"];
  readonly outputs: readonly ComparableOutput[];
  /** A digest of all outputs of each node, with their places. */
  readonly contents: readonly { readonly node_id: string; readonly digest: string }[];
}

export interface RunElementsRequest extends RunReadRequest {
  /** Index of the output node in the plan. */
  readonly node: number;
  readonly from: number;
}

export interface ElementsPage {
  /**
   * The elements from `from` on: `a` for absent, `m` for missing, else `p` and the key of the content (`contentKey`).
   */
  readonly elements: readonly string[];
  /** Of each element, its indices; null for elements of one axis, whose index is their position. */
  readonly indices: readonly (readonly number[])[] | null;
  /** `from` of the next page; null after the last. */
  readonly next: number | null;
}

/** Values that one request may ask for. */
export const VALUES_MAX = 32;

export interface RunValuesRequest extends RunReadRequest {
  /** At most `VALUES_MAX`. */
  readonly places: readonly { readonly node: number; readonly element: number }[];
}

export interface RunComparisonApi {
  /** `not_completed` for a run that has not ended, `outputs_expired` without outputs. */
  comparable(request: RunReadRequest): Promise<Result<ComparableRun>>;
  comparableElements(request: RunElementsRequest): Promise<Result<ElementsPage>>;
  /** The value of each element, without the bytes of files; null for none. */
  comparableValues(request: RunValuesRequest): Promise<Result<readonly (StoredValue | null)[]>>;
}
