import type { BatchEventsRequest } from "../../src/contracts/batches/batch-events-request.ts";
import {
  type BatchCall,
  type BatchObjectApi,
  type BatchRecord,
  type BatchVersion,
  type CheckRetryCall,
  type CommonStart,
  ITEM_STATUSES,
  type ItemsRequest,
  type RetryBatchCall,
  type RunEndRow,
  type StagedItem,
} from "../../src/contracts/batches/batch-object-api.ts";
import { type AdmissionLimits, RunStatus } from "../../src/contracts/runs/run.ts";
import {
  flag,
  integer,
  list,
  literal,
  nullable,
  object,
  optional,
  type Shape,
  text,
  unchecked,
  version,
  whole,
} from "../../src/lib/json/shape.ts";
import type { Entries } from "../shared/entries.ts";
import { runCache } from "../shared/entry-shapes.ts";

type Argument<M extends keyof BatchObjectApi> = Parameters<BatchObjectApi[M]>[0];

const v = version(1);
const caller = { v, workspace_id: text };

const common = object<CommonStart>({
  interface_id: nullable(text),
  output_node_ids: nullable(list(text)),
  unit_costs: list(
    object<{ node_id: string; milli_credits: number }>({ node_id: text, milli_credits: whole }),
  ),
  // Built by the service itself with arbitrary content; compiling checks it.
  references: unchecked<CommonStart["references"]>(),
  cache: optional(runCache),
});

const batchVersion = { workflow_version: whole, common };

const record = object<BatchRecord>({
  id: text,
  workspace_id: text,
  organization_id: text,
  correlation_id: text,
  base_url: text,
  workflow: text,
  workflow_name: text,
  bound_version: optional(whole),
  fixed_common: optional(common),
  ...batchVersion,
  admission_limits: object<AdmissionLimits>({
    max_iterations_per_node: optional(whole),
    max_admitted_milli_credits: optional(whole),
  }),
  name: nullable(text),
  client_reference: nullable(text),
  max_concurrency: nullable(whole),
  max_failed_items: nullable(whole),
  max_total_milli_credits: nullable(whole),
  total_items: whole,
  exact_milli_credits: nullable(whole),
  created_at_ms: whole,
});

const item = object<StagedItem>({
  client_reference: nullable(text),
  input_json: nullable(text),
  liability_milli_credits: whole,
  worst_milli_credits: whole,
  error_message: nullable(text),
});

const idempotency = nullable(
  object<{ key: string; fingerprint: string }>({ key: text, fingerprint: text }),
);

const call = object<BatchCall>({ ...caller, idempotency });

const retryCall = { ...caller, idempotency, include_partial: flag };

const end = object<RunEndRow>({
  run_id: text,
  status: literal(...RunStatus.options),
  credits_used_milli: whole,
  error_code: nullable(text),
  error_message: nullable(text),
  completed_at_ms: whole,
});

/** The request of `fetch`, which parses it itself. */
export const BATCH_EVENTS_REQUEST: Shape<BatchEventsRequest> = object<BatchEventsRequest>({
  ...caller,
  last_event_id: nullable(text),
});

export const BATCH_ENTRIES: Entries<BatchObjectApi> = {
  stage: [object<Argument<"stage">>({ v, from: whole, items: list(item) })],
  create: [
    object<Argument<"create">>({
      v,
      record,
      starts: flag,
      idempotency,
    }),
  ],
  discard: [object<Argument<"discard">>({ v })],
  read: [object<Argument<"read">>({ ...caller, wait_ms: whole })],
  start: [call],
  cancel: [call],
  checkRetry: [object<CheckRetryCall>(retryCall)],
  retry: [
    object<RetryBatchCall>({
      ...retryCall,
      move: nullable(object<BatchVersion>(batchVersion)),
    }),
  ],
  items: [
    object<ItemsRequest>({
      ...caller,
      limit: whole,
      after: integer,
      status: nullable(literal(...ITEM_STATUSES)),
      client_reference: nullable(text),
      with_outputs: optional(flag),
    }),
  ],
  item: [object<Argument<"item">>({ ...caller, index: whole })],
  inputs: [object<Argument<"inputs">>({ ...caller, from: whole })],
  forgetOutputs: [
    object<Argument<"forgetOutputs">>({ ...caller, run_id: text, index: nullable(whole) }),
  ],
  nudge: [object<Argument<"nudge">>({ v, ends: list(end), room: whole })],
};
