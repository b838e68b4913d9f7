/**
 * Messages between the API, run objects and the workspace object. Plain data; `v` is the version of
 * the message.
 */
import type { Result } from "../../lib/result.ts";
import type { RunStart, RunStatus } from "../runs/run.ts";
import type { BatchStatus } from "../batches/batch-states.ts";
import type { RunEndRow } from "../batches/batch-object-api.ts";
import type { WebhookIndexEntry } from "../webhooks/webhook-object-api.ts";

/**
 * A workflow as the workspace object stores it: enough to admit a submit without a read from D1.
 */
export interface WorkflowPointer {
  readonly workflow_id: string;
  readonly name: string;
  readonly status: "draft" | "published" | "archived";
  /** Latest published version, 0 before the first. */
  readonly version: number;
  /**
   * Grows with every change of the workflow. The object keeps the highest revision, so that a late
   * call cannot undo a newer one.
   */
  readonly seq: number;
}

/**
 * The workspace's copy of a start, kept until the run has acknowledged it. It has no definition: a
 * published version is immutable, and a caller that repeats the start reads it again.
 */
export interface AdmittedStart extends Omit<RunStart, "definition_json"> {
  /** Of a run of the working definition, which no version has. */
  readonly definition_json?: string;
  /**
   * Location of the values of a start that is longer than `ADMITTED_START_MAX_BYTES`: one JSON
   * object in the file store. The lists in the start are empty (`domain/executions/long-start.ts`).
   */
  readonly values_key?: string;
}

/**
 * Largest start, in UTF-8 bytes of JSON, that passes through the workspace object; longer ones are
 * in the file store.
 */
export const ADMITTED_START_MAX_BYTES = 65_536;

/** Maximum number of runs in one call of `admitRuns`. */
export const ADMIT_RUNS_MAX = 100;

/** The limits of the workspace's plan, as the caller knows them. */
interface AdmitFigures {
  readonly max_concurrent_executions: number;
  /** The plan's monthly grant, in milli-credits. */
  readonly monthly_milli_credits: number;
}

/** One run to be admitted. */
export interface AdmitRun {
  /**
   * The workspace sets `workflow_name` and `created_at_ms`, from its stored name and its monotonic
   * clock.
   */
  readonly start: Omit<AdmittedStart, "is_held" | "reserved_milli_credits">;
  /** The version that the caller validated against, and whether the caller pinned it. */
  readonly is_pinned: boolean;
  /**
   * Worst-case cost that is known before the run starts; 0 if nothing is paid or nothing is known.
   */
  readonly exact_liability_milli_credits: number;
  /** Labels that lists can filter by; absent if the run has none. */
  readonly labels?: Partial<RunLabels>;
  /**
   * The scope of `key` is the caller, the method, the route and the client's own key
   * (docs/contract/idempotency.md#keys).
   */
  readonly idempotency: { readonly key: string; readonly fingerprint: string } | null;
}

export interface AdmitRequest extends AdmitFigures, AdmitRun {
  readonly v: 1;
}

/**
 * Several runs in one transaction, decided in order: each is checked against the credits, slots and
 * keys left by the runs before it. `each`: every run is admitted or refused by itself. `all`:
 * nothing is committed unless every run is admitted or replayed.
 */
export interface AdmitRunsRequest extends AdmitFigures {
  readonly v: 1;
  readonly mode: "each" | "all";
  /** At most `ADMIT_RUNS_MAX`. */
  readonly runs: readonly AdmitRun[];
}

/**
 * Runs of items of one batch, whose ids the batch chose: a run that exists already is not admitted again. The published
 * version is not looked at, because a batch keeps the version of its creation.
 */
export interface AdmitBatchRequest extends AdmitFigures {
  readonly v: 1;
  readonly batch: string;
  /** Number of the offer of these runs. */
  readonly offer: number;
  /** Items that could be accepted now, with those of this call; 0 if the batch has no work. */
  readonly wanted: number;
  /** At most `ADMIT_RUNS_MAX`. */
  readonly runs: readonly Pick<AdmitRun, "start" | "exact_liability_milli_credits">[];
  /** Ends of runs of the batch that ended within their starts, stored before `runs` are decided. Omitted for none. */
  readonly ends?: readonly CloseRequest[];
}

export type AdmitBatchOutcome =
  | Extract<AdmitOutcome, { readonly kind: "admitted" }>
  /** The run exists. */
  | { readonly kind: "known" }
  | { readonly kind: "insufficient_credits"; readonly balance_milli_credits: number }
  /** There is no slot for it now. */
  | { readonly kind: "waits" };

export interface AdmitBatchReply {
  /** In the order of the runs. */
  readonly outcomes: readonly AdmitBatchOutcome[];
  /** Further items that the batch may send now. */
  readonly room: number;
  /** The ends of the request as they are stored. */
  readonly ends: readonly RunEndRow[];
  /** Whether webhook endpoints receive events of these ends: the runs must be told to hand them over. */
  readonly is_heard: boolean;
}

/** A batch as the workspace lists it. */
export interface BatchEntry {
  readonly batch_id: string;
  readonly workflow_id: string;
  readonly client_reference: string | null;
  readonly created_at_ms: number;
  readonly status: BatchStatus;
}

export interface BatchListFilter {
  readonly limit: number;
  readonly starting_after: string | null;
  readonly status: BatchStatus | null;
  readonly workflow_id: string | null;
  readonly client_reference: string | null;
  readonly created_after_ms: number | null;
  readonly created_before_ms: number | null;
}

export interface RegisterBatchRequest {
  readonly v: 1;
  readonly entry: BatchEntry;
  /** The sum of the items' costs, if each is exact: it must not exceed the balance. */
  readonly exact_milli_credits: number | null;
  readonly monthly_milli_credits: number;
  readonly idempotency: { readonly key: string; readonly fingerprint: string } | null;
}

export type RegisterBatchOutcome =
  | { readonly kind: "registered" }
  /** An earlier batch was created with the same key. */
  | { readonly kind: "replayed"; readonly batch_id: string }
  | { readonly kind: "idempotency_conflict" }
  /** The workflow was deleted meanwhile. */
  | { readonly kind: "workflow_not_found" }
  | { readonly kind: "insufficient_credits"; readonly balance_milli_credits: number };

/** The parts of an admission that the caller does not know yet, and the run they belong to. */
export type AdmittedMetadata = Pick<
  AdmittedStart,
  "run_id" | "workflow_name" | "created_at_ms" | "is_held" | "reserved_milli_credits"
>;

export type AdmitOutcome =
  | { readonly kind: "admitted"; readonly start: AdmittedMetadata }
  /** The workflow has changed since the caller read it; validate again against this revision. */
  | { readonly kind: "stale_pointer"; readonly pointer: WorkflowPointer | null }
  | { readonly kind: "replayed"; readonly run_id: string; readonly status_code: 202 | 402 }
  | { readonly kind: "idempotency_conflict" }
  /**
   * Nothing was committed unless `run_id` is present (an idempotent submit that committed a failed
   * run).
   */
  | {
      readonly kind: "insufficient_credits";
      readonly run_id: string | null;
      readonly balance_milli_credits: number;
    };

/** `withdrawn`: the run could have been admitted, but another run of an `all` call could not. */
export type AdmitRunsOutcome = AdmitOutcome | { readonly kind: "withdrawn" };

/** A row of the workspace's index of runs. */
export interface RunIndexRow {
  readonly run_id: string;
  readonly workflow_id: string;
  readonly workflow_name: string;
  readonly workflow_version: number;
  readonly interface_id: string | null;
  readonly status: RunStatus;
  readonly progress: number;
  readonly credits_used_milli: number | null;
  readonly error_code: string | null;
  readonly error_message: string | null;
  /**
   * The node that caused `error_code`, and its element as a JSON list; null if no node caused it.
   */
  readonly error_node_id: string | null;
  readonly error_indices: string | null;
  readonly created_at_ms: number;
  readonly started_at_ms: number | null;
  readonly completed_at_ms: number | null;
  /** Null until the outputs' retention has ended. */
  readonly outputs_expired_at_ms: number | null;
  /** The embed token that submitted the run, and its person. */
  readonly embed: string | null;
  readonly end_user_id: string | null;
  readonly client_reference: string | null;
  readonly batch: string | null;
  readonly schedule: string | null;
  readonly retry_of: string | null;
  /** The other members of the run's origin, and marks of the run (`unindexedOrigin`). */
  readonly origin: string | null;
}

/**
 * Labels of a run for filters of lists: its batch, the schedule that started it, the run that it
 * retries, the submitter's own reference, and the embed token and end user that it was submitted
 * for.
 */
export interface RunLabels {
  readonly batch: string | null;
  readonly schedule: string | null;
  readonly retry_of: string | null;
  readonly client_reference: string | null;
  readonly embed: string | null;
  readonly end_user_id: string | null;
}

/** Returns the labels of a run from its start. */
export function labelsOf({
  origin,
  embed,
}: Pick<AdmittedStart, "origin" | "embed">): Partial<RunLabels> {
  const { client_reference = null, batch = null, schedule = null, retry_of = null } = origin ?? {};
  return {
    client_reference,
    batch,
    schedule,
    retry_of,
    embed: embed?.token ?? null,
    end_user_id: embed?.end_user_id ?? null,
  };
}

export interface RunListFilter {
  readonly limit: number;
  readonly starting_after: string | null;
  readonly status: RunStatus | null;
  readonly workflow_id: string | null;
  readonly created_after_ms: number | null;
  readonly created_before_ms: number | null;
  /** Matches runs that have all of these labels. */
  readonly labels?: Partial<RunLabels>;
}

export interface RunListPage {
  readonly rows: readonly RunIndexRow[];
  readonly has_more: boolean;
  readonly total_count: number;
}

/** A live run reports its state to its workspace. A late call cannot undo a newer one. */
export interface AcknowledgeRequest {
  readonly v: 1;
  readonly run_id: string;
  /** Null while the run waits for a slot. */
  readonly started_at_ms: number | null;
  readonly is_cancelling?: boolean;
}

/** An ended run reports its end to its workspace. Repeats have no effect. */
export interface CloseRequest {
  readonly v: 1;
  readonly run_id: string;
  readonly status: RunStatus;
  readonly progress: number;
  readonly settled_milli_credits: number;
  readonly error_code: string | null;
  readonly error_message: string | null;
  /** Absent in calls from runs of code before lists showed where a run failed. */
  readonly error_node_id?: string | null;
  readonly error_indices?: readonly number[] | null;
  readonly started_at_ms: number | null;
  readonly completed_at_ms: number;
  /** Omitted for none. */
  readonly reused_iterations?: number;
  /**
   * The run has no alarm: if its end has listeners, the workspace keeps and repeats the start until
   * the run acknowledges it.
   */
  readonly is_unguarded?: boolean;
  /** The run cannot read its own rows: the workspace sends the event of its end. */
  readonly is_damaged?: boolean;
}

/** The listeners to the run's end: each of them gets its event and decides whether to use it. */
export interface CloseOutcome {
  readonly webhook_endpoints: readonly string[];
  /** Public base address of the links in the event, used if the environment does not set one. */
  readonly base_url: string;
}

/**
 * Reserves the worst-case cost of a plan that was resolved in the run, before its first item
 * starts. Repeats return the same reply.
 */
export interface ReserveRequest {
  readonly v: 1;
  readonly run_id: string;
  /** Sequence of the plan within the run. */
  readonly seq: number;
  readonly node_id: string;
  readonly milli_credits: number;
}
export type ReserveOutcome =
  | { readonly kind: "reserved" }
  | { readonly kind: "insufficient_credits"; readonly balance_milli_credits: number };

/** Total charged so far; a total that is not above the stored one has no effect. */
export interface SettleRequest {
  readonly v: 1;
  readonly run_id: string;
  readonly seq: number;
  readonly cumulative_milli_credits: number;
}

/**
 * Gives back the part of a run's reservation that is not spent (cancel,
 * docs/contract/credits.md#cancellation). Identified by run and `seq`.
 */
export interface ReleaseRequest {
  readonly v: 1;
  readonly run_id: string;
  readonly seq: number;
  readonly milli_credits: number;
}

/** An operator's grant: added to the balance, without expiry. A repeat of the key has no effect. */
export interface GrantRequest {
  readonly v: 1;
  readonly idempotency_key: string;
  readonly milli_credits: number;
}

export interface GrantOutcome {
  /**
   * `conflict`: the key was used before with another amount. `too_much`: a sum would exceed 2^53.
   */
  readonly kind: "granted" | "repeated" | "conflict" | "too_much";
  readonly balance: Balance;
}

export interface LedgerEntry {
  /** Opaque, ascending; also the cursor of the ledger's pages. */
  readonly id: string;
  readonly kind: "grant" | "reserve" | "settle" | "release";
  readonly run: string | null;
  readonly node_id: string | null;
  readonly milli_credits: number;
  /** The amount that can be reserved after this entry. */
  readonly balance_after: number;
  readonly created_at_ms: number;
}

export interface LedgerPage {
  readonly entries: readonly LedgerEntry[];
  readonly has_more: boolean;
  readonly total_count: number;
}

export interface Balance {
  /** The amount that can be reserved: `monthly + granted`. */
  readonly balance_milli_credits: number;
  readonly monthly_milli_credits: number;
  readonly granted_milli_credits: number;
  /** Reserved by live runs and not spent yet. */
  readonly reserved_milli_credits: number;
  /** Spent since the beginning of the month (UTC). */
  readonly spent_this_month_milli_credits: number;
}

export type RemoveWorkflowOutcome =
  | { readonly kind: "removed" }
  /** Nothing changed, because `live` runs or batches have not ended. */
  | { readonly kind: "executions_in_progress"; readonly live: number };

/** RPC interface of the workspace object for run objects. */
interface WorkspaceRunsApi {
  acknowledge(request: AcknowledgeRequest): Promise<void>;
  /** Returns the webhook endpoints that receive the event of the end; to a repeat, those that existed at the end. */
  close(request: CloseRequest): Promise<CloseOutcome>;
  reserve(request: ReserveRequest): Promise<ReserveOutcome>;
  settle(request: SettleRequest): Promise<void>;
  release(request: ReleaseRequest): Promise<void>;
}

/** RPC interface of the workspace object for batch objects and their lists. */
interface WorkspaceBatchesApi {
  /** Lists a batch. A repeat has no effect. */
  registerBatch(request: RegisterBatchRequest): Promise<RegisterBatchOutcome>;
  /** The batch that was created with this key; null if there is none. */
  recallBatch(idempotency: {
    key: string;
    fingerprint: string;
  }): Promise<Exclude<RegisterBatchOutcome, { kind: "registered" }> | null>;
  /** Returns the webhook endpoints that receive events of the batch. */
  updateBatch(request: {
    readonly v: 1;
    readonly batch_id: string;
    readonly status: BatchStatus;
  }): Promise<CloseOutcome>;
  /** Lists an ended batch as running, before it begins another attempt. False if its workflow was deleted. */
  reviveBatch(request: { readonly v: 1; readonly batch_id: string }): Promise<boolean>;
  /** Newest first. An unknown `starting_after` is `invalid_request`. */
  listBatches(filter: BatchListFilter): Promise<Result<BatchListPage>>;
  admitBatch(request: AdmitBatchRequest): Promise<AdmitBatchReply>;
  /**
   * Those of the runs that exist, and the ends of those that have ended. Admissions of the batch's offers up to number
   * `settles` that arrive later admit nothing.
   */
  batchRuns(request: {
    readonly v: 1;
    readonly batch: string;
    readonly settles: number;
    readonly run_ids: readonly string[];
  }): Promise<{ readonly known: readonly string[]; readonly ends: readonly RunEndRow[] }>;
}

export interface BatchListPage {
  readonly rows: readonly BatchEntry[];
  readonly has_more: boolean;
  readonly total_count: number;
}

/** The complete RPC interface of the workspace object. */
export interface WorkspaceObjectApi extends WorkspaceRunsApi, WorkspaceBatchesApi {
  admit(request: AdmitRequest): Promise<Result<AdmitOutcome>>;
  /** One outcome for each run, in the order of the runs. */
  admitRuns(request: AdmitRunsRequest): Promise<Result<readonly AdmitRunsOutcome[]>>;
  /**
   * The stored reply for an idempotency key, for a repeat that would no longer pass validation;
   * null if there is none.
   */
  recall(idempotency: {
    key: string;
    fingerprint: string;
  }): Promise<Exclude<AdmitOutcome, { kind: "admitted" }> | null>;
  /** Newest first. An unknown `starting_after` is `invalid_request`. */
  listRuns(filter: RunListFilter): Promise<Result<RunListPage>>;
  getRun(runId: string): Promise<RunIndexRow | null>;
  setWorkflowPointer(pointer: WorkflowPointer): Promise<void>;
  getWorkflowPointer(workflowId: string): Promise<WorkflowPointer | null>;
  /**
   * Removes the pointer unless a run of the workflow is live; one transaction with the check in
   * `admit`.
   */
  removeWorkflow(workflowId: string): Promise<RemoveWorkflowOutcome>;
  countLiveRuns(workflowId: string | null): Promise<number>;
  /** The events that a webhook endpoint receives; the highest `seq` of an endpoint wins. */
  putWebhookEndpoint(entry: WebhookIndexEntry): Promise<void>;
  /** `monthly` is the plan's monthly grant in milli-credits; null keeps the stored one. */
  balance(monthly: number | null): Promise<Balance>;
  grant(request: GrantRequest): Promise<GrantOutcome>;
  /** Newest first. */
  listLedger(limit: number, startingAfter: string | null): Promise<Result<LedgerPage>>;
}
