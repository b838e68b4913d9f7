/** Messages between the API, batch objects and the workspace object. Plain data; `v` is the version of the message. */
import type { Result } from "../../lib/result.ts";
import type { AdmissionLimits, RunStart, RunStatus } from "../runs/run.ts";
import type { BatchCounts, BatchStatus, BatchStop } from "./batch-states.ts";

/** The parts of a start that the runs of all items of a batch have in common unless an item has its own. */
export type CommonStart = Pick<RunStart, "interface_id" | "output_node_ids"> &
  Required<Pick<RunStart, "unit_costs" | "references">> &
  Pick<RunStart, "cache">;

/** The version that the items of a batch run. */
export interface BatchVersion {
  readonly workflow_version: number;
  readonly common: CommonStart;
}

/** A batch as it was created. Only a retry changes anything in it: the version that its attempt runs. */
export interface BatchRecord extends BatchVersion {
  /** Version that the creation fixed, for which the inputs of items were bound; absent until a retry names another. */
  readonly bound_version?: number | undefined;
  /** `common` of that version, likewise. */
  readonly fixed_common?: CommonStart | undefined;
  readonly id: string;
  readonly workspace_id: string;
  readonly organization_id: string;
  readonly correlation_id: string;
  readonly base_url: string;
  readonly workflow: string;
  readonly workflow_name: string;
  readonly admission_limits: AdmissionLimits;
  readonly name: string | null;
  readonly client_reference: string | null;
  /** Null: the share of the plan. */
  readonly max_concurrency: number | null;
  readonly max_failed_items: number | null;
  readonly max_total_milli_credits: number | null;
  readonly total_items: number;
  /** The sum of the items' costs if each is exact, for the check at the start; null otherwise. */
  readonly exact_milli_credits: number | null;
  readonly created_at_ms: number;
}

/** The values of an item's run, bound at the creation of its batch. */
export type ItemInput = Pick<
  RunStart,
  "inputs" | "input_files" | "parameter_overrides" | "prepaid"
> &
  Partial<Pick<RunStart, "unit_costs" | "references">>;

/** An item of a batch that is being created. */
export interface StagedItem {
  readonly client_reference: string | null;
  /** JSON of `ItemInput`; null for an item that failed the checks. */
  readonly input_json: string | null;
  /** Known before the run: what its admission reserves. */
  readonly liability_milli_credits: number;
  /** The most that it can cost. */
  readonly worst_milli_credits: number;
  readonly error_message: string | null;
}

/** What callers see of a batch, all of one moment. */
export interface BatchState extends BatchMoment {
  readonly record: BatchRecord;
}

/** The part of it that changes. */
export interface BatchMoment {
  readonly status: BatchStatus;
  readonly counts: BatchCounts;
  readonly attempt: number;
  readonly used_milli_credits: number;
  readonly stop: BatchStop | null;
  readonly started_at_ms: number | null;
  readonly completed_at_ms: number | null;
  readonly cancel_requested_at_ms: number | null;
}

export const ITEM_STATUSES = ["pending", "running", "completed", "failed", "cancelled"] as const;
export type ItemStatus = (typeof ITEM_STATUSES)[number];

/** A row of the items of a batch. */
export interface BatchItemRow {
  readonly index: number;
  readonly status: ItemStatus;
  readonly client_reference: string | null;
  readonly attempt: number;
  readonly executions: readonly string[];
  readonly error_code: string | null;
  readonly error_message: string | null;
  readonly credits_used_milli: number;
  readonly started_at_ms: number | null;
  readonly completed_at_ms: number | null;
  /**
   * If they were asked for: the outputs of the last run, a `RunExportPage` as JSON. Null if the run must be asked, because
   * they are long or files, have expired, or were never told.
   */
  readonly outputs?: string | null;
}

/** The end of a run of a batch, as the workspace knows it. */
export interface RunEndRow {
  readonly run_id: string;
  readonly status: RunStatus;
  readonly credits_used_milli: number;
  readonly error_code: string | null;
  readonly error_message: string | null;
  readonly completed_at_ms: number;
}

interface OfWorkspace {
  readonly v: 1;
  readonly workspace_id: string;
}

export interface BatchCall extends OfWorkspace {
  /** A repeat of the call with this key has no effect; null without a key. */
  readonly idempotency: { readonly key: string; readonly fingerprint: string } | null;
}

export interface CheckRetryCall extends BatchCall {
  readonly include_partial: boolean;
}

export interface RetryBatchCall extends CheckRetryCall {
  readonly move: BatchVersion | null;
}

export interface ChangedBatch {
  readonly state: BatchState;
  /** An earlier call with the same key has made the change. */
  readonly is_replay: boolean;
}

export interface ItemsRequest extends OfWorkspace {
  readonly limit: number;
  /** Only items after this index. */
  readonly after: number;
  readonly status: ItemStatus | null;
  readonly client_reference: string | null;
  readonly with_outputs?: boolean | undefined;
}

export interface CreatedBatch {
  readonly state: BatchState;
  /** The batch that an earlier creation with the same key has made, instead of this one. */
  readonly replayed: string | null;
}

/** RPC interface of the batch object. `not_found` if the batch does not exist, `forbidden` for another workspace. */
export interface BatchObjectApi {
  /** Stores items of a batch that is being created, from index `from` on; from 0 on they replace all. Without `create` they are forgotten. */
  stage(request: {
    readonly v: 1;
    readonly from: number;
    readonly items: readonly StagedItem[];
  }): Promise<void>;
  /** Creates the batch of the staged items, lists it, and starts it if `starts`. */
  create(request: {
    readonly v: 1;
    readonly record: BatchRecord;
    readonly starts: boolean;
    readonly idempotency: { readonly key: string; readonly fingerprint: string } | null;
  }): Promise<Result<CreatedBatch>>;
  /** Forgets the staged items. No effect on a batch. */
  discard(request: { readonly v: 1 }): Promise<void>;
  read(request: OfWorkspace & { readonly wait_ms: number }): Promise<Result<BatchState>>;
  start(request: BatchCall): Promise<Result<ChangedBatch>>;
  cancel(request: BatchCall): Promise<Result<ChangedBatch>>;
  /** Fails as `retry` of the batch would now, and changes nothing. `is_replay`: the retry was made with this key. */
  checkRetry(request: CheckRetryCall): Promise<Result<ChangedBatch>>;
  /**
   * Begins another attempt with the failed and cancelled items, and with `include_partial` those that ended in part.
   * `no_failed_items` if there are none, `workflow_not_found` if the workflow was deleted. `move`: the version that
   * this attempt runs; null for that of the creation.
   */
  retry(request: RetryBatchCall): Promise<Result<ChangedBatch>>;
  /** In the order of their index; `total` is the number of matches. */
  items(
    request: ItemsRequest,
  ): Promise<Result<{ readonly rows: readonly BatchItemRow[]; readonly total: number }>>;
  item(request: OfWorkspace & { readonly index: number }): Promise<Result<BatchItemRow>>;
  /**
   * JSON of the `ItemInput` of items from an index on, null for one that is invalid. As many as fit into one answer, at
   * least one.
   */
  inputs(
    request: OfWorkspace & { readonly from: number },
  ): Promise<Result<readonly (string | null)[]>>;
  /**
   * The outputs of an item's run expire: none of them is kept from then on. `index` is null if only the run is known. No
   * effect on another batch than the run's.
   */
  forgetOutputs(
    request: OfWorkspace & { readonly run_id: string; readonly index: number | null },
  ): Promise<void>;
  /** The workspace tells of runs that have ended and of free slots. May be lost or repeated. */
  nudge(request: {
    readonly v: 1;
    readonly ends: readonly RunEndRow[];
    readonly room: number;
  }): Promise<void>;
}
