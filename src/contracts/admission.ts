/** What passes between the API (and run objects) and a workspace object. Plain data; `v` as everywhere. */
import type { Result } from "../lib/result.ts";
import type { RunStart, RunStatus } from "./run.ts";
import type { WebhookIndexEntry } from "./webhook-object-api.ts";

/** A workflow as the workspace object knows it: enough to submit without touching D1. */
export interface WorkflowPointer {
  readonly workflow_id: string;
  readonly name: string;
  readonly status: "draft" | "published" | "archived";
  /** Latest published version, 0 before the first. */
  readonly version: number;
  /** Grows with every change of the workflow: the object keeps the highest it was told, so late calls cannot undo newer ones. */
  readonly seq: number;
}

/**
 * What the workspace keeps of a start until the run has acknowledged it. Not the definition: a
 * published version is immutable, so whoever sends the start again reads it again.
 */
export interface AdmittedStart extends Omit<RunStart, "definition_json"> {
  /**
   * Where the values of a start lie that is longer than `ADMITTED_START_MAX_BYTES`, as one JSON object
   * in the store of files: its lists are empty here (`domain/executions/long-start.ts`).
   */
  readonly values_key?: string;
}

/** UTF-8 bytes of a start as JSON that pass through the workspace object; longer ones lie in the store of files. */
export const ADMITTED_START_MAX_BYTES = 65_536;

/** Runs of one call of `admitRuns` at most. */
export const ADMIT_RUNS_MAX = 100;

/** What the workspace's plan says, as the caller knows it. */
interface AdmitFigures {
  readonly max_concurrent_executions: number;
  /** The plan's monthly grant, in milli-credits. */
  readonly monthly_milli_credits: number;
}

/** One run to be admitted. */
export interface AdmitRun {
  /** `workflow_name` and `created_at_ms` come back from the workspace: its name, its monotonic clock. */
  readonly start: Omit<AdmittedStart, "is_held" | "reserved_milli_credits">;
  /** The version the caller validated against, and whether the caller pinned it. */
  readonly is_pinned: boolean;
  /** Worst-case liability known before the run starts; 0 when nothing is paid or nothing is known. */
  readonly exact_liability_milli_credits: number;
  /** What lists can find the run by; none where it is left out. */
  readonly labels?: Partial<RunLabels>;
  /** `key` is scoped by the caller: method, route and the client's own key (docs/contract/idempotency.md#keys). */
  readonly idempotency: { readonly key: string; readonly fingerprint: string } | null;
}

export interface AdmitRequest extends AdmitFigures, AdmitRun {
  readonly v: 1;
}

/**
 * Several runs in one transaction, decided in their order: each sees the money, slots and keys as those
 * before it left them. `each`: what is refused stands beside what is admitted, as if each had come
 * alone. `all`: unless every run is admitted or replayed nothing is committed at all.
 */
export interface AdmitRunsRequest extends AdmitFigures {
  readonly v: 1;
  readonly mode: "each" | "all";
  /** At most `ADMIT_RUNS_MAX`. */
  readonly runs: readonly AdmitRun[];
}

/** What the caller of an admission does not know yet, and which run it is of. */
export type AdmittedMetadata = Pick<
  AdmittedStart,
  "run_id" | "workflow_name" | "created_at_ms" | "is_held" | "reserved_milli_credits"
>;

export type AdmitOutcome =
  | { readonly kind: "admitted"; readonly start: AdmittedMetadata }
  /** The workflow moved on since the caller read it; validate again against this one. */
  | { readonly kind: "stale_pointer"; readonly pointer: WorkflowPointer | null }
  | { readonly kind: "replayed"; readonly run_id: string; readonly status_code: 202 | 402 }
  | { readonly kind: "idempotency_conflict" }
  /** Nothing was committed unless `run_id` is given (idempotent submit: a failed run is). */
  | {
      readonly kind: "insufficient_credits";
      readonly run_id: string | null;
      readonly balance_milli_credits: number;
    };

/** `withdrawn`: the run itself could have been admitted, and another of a call for `all` could not. */
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
  /** The node that the code is of, and the element of it as a JSON list; null where none is to blame. */
  readonly error_node_id: string | null;
  readonly error_indices: string | null;
  readonly created_at_ms: number;
  readonly started_at_ms: number | null;
  readonly completed_at_ms: number | null;
  /** Null until the outputs' retention was over. */
  readonly outputs_expired_at_ms: number | null;
}

/**
 * What a run belongs to, for lists to filter by: its batch, the schedule that started it, the run it
 * retries, its submitter's own reference, and the embed token and end user it was submitted for.
 */
export interface RunLabels {
  readonly batch: string | null;
  readonly schedule: string | null;
  readonly retry_of: string | null;
  readonly client_reference: string | null;
  readonly embed: string | null;
  readonly end_user_id: string | null;
}

export interface RunListFilter {
  readonly limit: number;
  readonly starting_after: string | null;
  readonly status: RunStatus | null;
  readonly workflow_id: string | null;
  readonly created_after_ms: number | null;
  readonly created_before_ms: number | null;
  /** Runs that carry all of these. */
  readonly labels?: Partial<RunLabels>;
}

export interface RunListPage {
  readonly rows: readonly RunIndexRow[];
  readonly has_more: boolean;
  readonly total_count: number;
}

/** A live run tells its workspace how it stands. Late calls undo nothing. */
export interface AcknowledgeRequest {
  readonly v: 1;
  readonly run_id: string;
  /** Null while it waits for a slot. */
  readonly started_at_ms: number | null;
  readonly is_cancelling?: boolean;
}

/** A terminal run tells its workspace; repeats change nothing. */
export interface CloseRequest {
  readonly v: 1;
  readonly run_id: string;
  readonly status: RunStatus;
  readonly progress: number;
  readonly settled_milli_credits: number;
  readonly error_code: string | null;
  readonly error_message: string | null;
  /** Left out by runs of code from before lists showed where a run failed. */
  readonly error_node_id?: string | null;
  readonly error_indices?: readonly number[] | null;
  readonly started_at_ms: number | null;
  readonly completed_at_ms: number;
  /** The run has no alarm: where its end has listeners, its start is kept, and repeated, until it acknowledges. */
  readonly is_unguarded?: boolean;
}

/** Whose business the end of a run is: its event goes to each of these, and each decides for itself. */
export interface CloseOutcome {
  readonly webhook_endpoints: readonly string[];
  /** Public address that links in the event are made under, where the environment names none. */
  readonly base_url: string;
}

/** A plan resolved in the run asks for its worst case before any of its items starts. Repeats answer the same. */
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

/** Cumulative charge so far; a lower or equal `cumulative` than known changes nothing. */
export interface SettleRequest {
  readonly v: 1;
  readonly run_id: string;
  readonly seq: number;
  readonly cumulative_milli_credits: number;
}

/** Gives back part of what a run holds and has not spent (cancel, docs/contract/credits.md#cancellation). Identified by run and `seq`. */
export interface ReleaseRequest {
  readonly v: 1;
  readonly run_id: string;
  readonly seq: number;
  readonly milli_credits: number;
}

/** An operator's grant: adds to the balance and does not lapse. A repeat of the key changes nothing. */
export interface GrantRequest {
  readonly v: 1;
  readonly idempotency_key: string;
  readonly milli_credits: number;
}

export interface GrantOutcome {
  /** `conflict`: the key came with another amount before. `too_much`: sums would leave 2^53. */
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
  /** What may still be reserved after the entry. */
  readonly balance_after: number;
  readonly created_at_ms: number;
}

export interface LedgerPage {
  readonly entries: readonly LedgerEntry[];
  readonly has_more: boolean;
  readonly total_count: number;
}

export interface Balance {
  /** What may still be reserved: `monthly + granted`. */
  readonly balance_milli_credits: number;
  readonly monthly_milli_credits: number;
  readonly granted_milli_credits: number;
  /** Held by live runs and not yet spent. */
  readonly reserved_milli_credits: number;
  /** Spent since the month began (UTC). */
  readonly spent_this_month_milli_credits: number;
}

export type RemoveWorkflowOutcome =
  | { readonly kind: "removed" }
  /** Nothing changed: `live` runs have not ended. */
  | { readonly kind: "executions_in_progress"; readonly live: number };

/** RPC surface of the workspace object that run objects use. */
interface WorkspaceRunsApi {
  acknowledge(request: AcknowledgeRequest): Promise<void>;
  close(request: CloseRequest): Promise<CloseOutcome>;
  reserve(request: ReserveRequest): Promise<ReserveOutcome>;
  settle(request: SettleRequest): Promise<void>;
  release(request: ReleaseRequest): Promise<void>;
}

/** The whole RPC surface of the workspace object. */
export interface WorkspaceObjectApi extends WorkspaceRunsApi {
  admit(request: AdmitRequest): Promise<Result<AdmitOutcome>>;
  /** An outcome for each run, in their order. */
  admitRuns(request: AdmitRunsRequest): Promise<Result<readonly AdmitRunsOutcome[]>>;
  /** What an idempotency key was answered before, for a repeat that would no longer pass validation; null when nothing. */
  recall(idempotency: {
    key: string;
    fingerprint: string;
  }): Promise<Exclude<AdmitOutcome, { kind: "admitted" }> | null>;
  /** Newest first. An unknown `starting_after` is `invalid_request`. */
  listRuns(filter: RunListFilter): Promise<Result<RunListPage>>;
  getRun(runId: string): Promise<RunIndexRow | null>;
  setWorkflowPointer(pointer: WorkflowPointer): Promise<void>;
  getWorkflowPointer(workflowId: string): Promise<WorkflowPointer | null>;
  /** Forgets the pointer unless a run of the workflow is live; one transaction with `admit`'s own check. */
  removeWorkflow(workflowId: string): Promise<RemoveWorkflowOutcome>;
  countLiveRuns(workflowId: string | null): Promise<number>;
  /** Which events concern a webhook endpoint; the highest `seq` of an endpoint wins. */
  putWebhookEndpoint(entry: WebhookIndexEntry): Promise<void>;
  /** `monthly` is the plan's monthly grant in milli-credits, null to keep the one last given. */
  balance(monthly: number | null): Promise<Balance>;
  grant(request: GrantRequest): Promise<GrantOutcome>;
  /** Newest first. */
  listLedger(limit: number, startingAfter: string | null): Promise<Result<LedgerPage>>;
}
