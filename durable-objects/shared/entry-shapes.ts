/** Shapes that the entries of several objects have in common. */
import type { EmbedOrigin, EmbedViewer } from "../../src/contracts/embeds/embed-origin.ts";
import { CACHE_MODES, type CacheOptions } from "../../src/contracts/runs/cache-options.ts";
import type {
  AdmissionLimits,
  CacheBounds,
  RunCache,
  RunStart,
} from "../../src/contracts/runs/run.ts";
import type { RunOrigin } from "../../src/contracts/runs/run-origin.ts";
import type { RetryRerun } from "../../src/contracts/runs/run-source.ts";
import {
  flag,
  list,
  literal,
  nullable,
  object,
  optional,
  text,
  unchecked,
  version,
  whole,
} from "../../src/lib/json/shape.ts";

const v = version(1);

export const ofWorkspace = object<{ v: 1; workspace_id: string }>({ v, workspace_id: text });

/** A runtime embed token that asks for a run. */
export const embedViewer = object<EmbedViewer>({
  token: text,
  key_id: text,
  workflow_id: text,
  end_user_id: nullable(text),
});

/** Elements of a retry's source that run again. */
export const retryRerun = object<RetryRerun>({ node: text, indices: nullable(list(list(whole))) });

export const cacheOptions = object<CacheOptions>({
  mode: literal(...CACHE_MODES),
  max_age: optional(whole),
});

const bounds = { ttl: whole, max_bytes: whole, quota_bytes: nullable(whole) };
export const cacheBounds = object<CacheBounds>(bounds);

/** How a run uses the result cache. */
export const runCache = object<RunCache>({ ...bounds, options: nullable(cacheOptions) });

/** The part of a start that both its admission and its run object receive. */
export const START_FIELDS = {
  v,
  run_id: text,
  workspace_id: text,
  organization_id: text,
  correlation_id: text,
  workflow_id: text,
  workflow_name: text,
  workflow_version: whole,
  interface_id: nullable(text),
  inputs: list(object<RunStart["inputs"][number]>({ node_id: text, value_json: text })),
  input_files: optional(
    list(object<{ node_id: string; stored: string }>({ node_id: text, stored: text })),
  ),
  parameter_overrides: list(
    object<RunStart["parameter_overrides"][number]>({
      node_id: text,
      parameter: text,
      value_json: text,
    }),
  ),
  output_node_ids: nullable(list(text)),
  admission_limits: object<AdmissionLimits>({
    max_iterations_per_node: optional(whole),
    max_admitted_milli_credits: optional(whole),
  }),
  created_at_ms: whole,
  prepaid: list(object<RunStart["prepaid"][number]>({ node_id: text, iterations: whole })),
  unit_costs: optional(
    list(
      object<{ node_id: string; milli_credits: number }>({ node_id: text, milli_credits: whole }),
    ),
  ),
  // Built by the service itself with arbitrary content; compiling checks it.
  references: optional(unchecked<NonNullable<RunStart["references"]>>()),
  retry: optional(
    object<NonNullable<RunStart["retry"]>>({ source: text, rerun: nullable(retryRerun) }),
  ),
  cache: optional(runCache),
  dropped_inputs: optional(list(text)),
  is_draft: optional(flag),
  embed: optional(
    object<EmbedOrigin>({
      kind: literal("runtime", "editor"),
      token: text,
      key_id: text,
      end_user_id: nullable(text),
    }),
  ),
  origin: optional(
    object<Partial<RunOrigin>>({
      client_reference: optional(nullable(text)),
      batch: optional(nullable(text)),
      batch_index: optional(nullable(whole)),
      schedule: optional(nullable(text)),
      scheduled_for: optional(nullable(text)),
      retry_of: optional(nullable(text)),
      retry_root: optional(nullable(text)),
      retry_from: optional(nullable(text)),
    }),
  ),
  time_limit_ms: whole,
  max_outstanding_tasks: optional(whole),
};
