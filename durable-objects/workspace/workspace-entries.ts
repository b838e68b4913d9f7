import {
  type AcknowledgeRequest,
  ADMIT_RUNS_MAX,
  type AdmitBatchRequest,
  type AdmitRequest,
  type AdmitRun,
  type AdmitRunsRequest,
  type BatchEntry,
  type BatchListFilter,
  type CloseRequest,
  type GrantRequest,
  type RegisterBatchRequest,
  type ReleaseRequest,
  type ReserveRequest,
  type RunLabels,
  type RunListFilter,
  type SettleRequest,
  type WorkflowPointer,
  type WorkspaceObjectApi,
} from "../../src/contracts/workspaces/admission.ts";
import { BATCH_STATUSES } from "../../src/contracts/batches/batch-states.ts";
import { RunStatus } from "../../src/contracts/runs/run.ts";
import type { WebhookIndexEntry } from "../../src/contracts/webhooks/webhook-object-api.ts";
import {
  flag,
  integer,
  list,
  literal,
  nullable,
  object,
  optional,
  text,
  version,
  whole,
} from "../../src/lib/json/shape.ts";
import type { Entries } from "../shared/entries.ts";
import { START_FIELDS } from "../shared/entry-shapes.ts";

const v = version(1);
const batchStatus = literal(...BATCH_STATUSES);
const status = literal(...RunStatus.options);

const labels = object<Partial<RunLabels>>({
  batch: optional(nullable(text)),
  schedule: optional(nullable(text)),
  retry_of: optional(nullable(text)),
  client_reference: optional(nullable(text)),
  embed: optional(nullable(text)),
  end_user_id: optional(nullable(text)),
});

const idempotency = object<{ key: string; fingerprint: string }>({ key: text, fingerprint: text });

const start = object<AdmitRun["start"]>({
  ...START_FIELDS,
  values_key: optional(text),
  definition_json: optional(text),
});

const run = {
  start,
  is_pinned: flag,
  exact_liability_milli_credits: whole,
  labels: optional(labels),
  idempotency: nullable(idempotency),
};
const figures = { v, max_concurrent_executions: whole, monthly_milli_credits: whole };

const close = object<CloseRequest>({
  v,
  run_id: text,
  status,
  progress: whole,
  settled_milli_credits: whole,
  error_code: nullable(text),
  error_message: nullable(text),
  error_node_id: optional(nullable(text)),
  error_indices: optional(nullable(list(whole))),
  started_at_ms: nullable(whole),
  completed_at_ms: whole,
  reused_iterations: optional(whole),
  is_unguarded: optional(flag),
  is_damaged: optional(flag),
});

export const WORKSPACE_ENTRIES: Entries<WorkspaceObjectApi> = {
  admit: [object<AdmitRequest>({ ...figures, ...run })],
  admitRuns: [
    object<AdmitRunsRequest>({
      ...figures,
      mode: literal("each", "all"),
      runs: list(object<AdmitRun>(run), ADMIT_RUNS_MAX),
    }),
  ],
  recall: [idempotency],
  recallBatch: [idempotency],
  registerBatch: [
    object<RegisterBatchRequest>({
      v,
      entry: object<BatchEntry>({
        batch_id: text,
        workflow_id: text,
        client_reference: nullable(text),
        created_at_ms: whole,
        status: batchStatus,
      }),
      exact_milli_credits: nullable(whole),
      monthly_milli_credits: whole,
      idempotency: nullable(idempotency),
    }),
  ],
  updateBatch: [
    object<Parameters<WorkspaceObjectApi["updateBatch"]>[0]>({
      v,
      batch_id: text,
      status: batchStatus,
    }),
  ],
  reviveBatch: [object<Parameters<WorkspaceObjectApi["reviveBatch"]>[0]>({ v, batch_id: text })],
  listBatches: [
    object<BatchListFilter>({
      limit: whole,
      starting_after: nullable(text),
      status: nullable(batchStatus),
      workflow_id: nullable(text),
      client_reference: nullable(text),
      created_after_ms: nullable(integer),
      created_before_ms: nullable(integer),
    }),
  ],
  admitBatch: [
    object<AdmitBatchRequest>({
      ...figures,
      batch: text,
      offer: whole,
      wanted: whole,
      runs: list(
        object<AdmitBatchRequest["runs"][number]>({
          start,
          exact_liability_milli_credits: whole,
        }),
        ADMIT_RUNS_MAX,
      ),
      ends: optional(list(close, ADMIT_RUNS_MAX)),
    }),
  ],
  batchRuns: [
    object<Parameters<WorkspaceObjectApi["batchRuns"]>[0]>({
      v,
      batch: text,
      settles: whole,
      run_ids: list(text),
    }),
  ],
  acknowledge: [
    object<AcknowledgeRequest>({
      v,
      run_id: text,
      started_at_ms: nullable(whole),
      is_cancelling: optional(flag),
    }),
  ],
  close: [close],
  reserve: [
    object<ReserveRequest>({ v, run_id: text, seq: integer, node_id: text, milli_credits: whole }),
  ],
  settle: [
    object<SettleRequest>({ v, run_id: text, seq: integer, cumulative_milli_credits: whole }),
  ],
  release: [object<ReleaseRequest>({ v, run_id: text, seq: integer, milli_credits: whole })],
  listRuns: [
    object<RunListFilter>({
      limit: whole,
      starting_after: nullable(text),
      status: nullable(status),
      workflow_id: nullable(text),
      created_after_ms: nullable(integer),
      created_before_ms: nullable(integer),
      labels: optional(labels),
    }),
  ],
  getRun: [text],
  setWorkflowPointer: [
    object<WorkflowPointer>({
      workflow_id: text,
      name: text,
      status: literal("draft", "published", "archived"),
      version: whole,
      seq: whole,
    }),
  ],
  getWorkflowPointer: [text],
  removeWorkflow: [text],
  countLiveRuns: [nullable(text)],
  putWebhookEndpoint: [
    object<WebhookIndexEntry>({
      v,
      endpoint_id: text,
      seq: whole,
      is_listening: flag,
      workflow_ids: nullable(list(text)),
      base_url: text,
    }),
  ],
  balance: [nullable(whole)],
  grant: [object<GrantRequest>({ v, idempotency_key: text, milli_credits: whole })],
  listLedger: [whole, nullable(text)],
};
