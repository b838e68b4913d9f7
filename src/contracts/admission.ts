/** What passes between the API (and run objects) and a workspace object. Plain data; `v` as everywhere. */
import type { AdmissionLimits, RunStart, RunStatus } from "./run.ts";

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

export interface AdmitRequest {
  readonly v: 1;
  readonly start: Omit<RunStart, "is_held" | "reserved_milli_credits">;
  /** The version the caller validated against, and whether the caller pinned it. */
  readonly is_pinned: boolean;
  /** Worst-case liability known before the run starts; 0 when nothing is paid or nothing is known. */
  readonly exact_liability_milli_credits: number;
  readonly max_concurrent_executions: number;
  readonly idempotency: { readonly key: string; readonly fingerprint: string } | null;
}

export type AdmitOutcome =
  | { readonly kind: "admitted"; readonly start: RunStart }
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
  readonly created_at_ms: number;
  readonly started_at_ms: number | null;
  readonly completed_at_ms: number | null;
}

export interface RunListFilter {
  readonly limit: number;
  readonly starting_after: string | null;
  readonly status: RunStatus | null;
  readonly workflow_id: string | null;
  readonly created_after_ms: number | null;
  readonly created_before_ms: number | null;
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
  readonly started_at_ms: number | null;
  readonly completed_at_ms: number;
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

/** RPC surface of the workspace object that run objects use. */
export interface WorkspaceRunsApi {
  acknowledge(request: { v: 1; run_id: string; started_at_ms: number }): Promise<void>;
  close(request: CloseRequest): Promise<void>;
  reserve(request: ReserveRequest): Promise<ReserveOutcome>;
  settle(request: SettleRequest): Promise<void>;
}

export type { AdmissionLimits };
