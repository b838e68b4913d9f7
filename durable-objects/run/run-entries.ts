import type { RunEventsRequest } from "../../src/contracts/runs/run-events-request.ts";
import {
  PAST_DOCUMENTS,
  type RunCellRequest,
  type RunExpiryRequest,
  type RunFileRequest,
  type RunIterationsRequest,
  type RunObjectApi,
  type RunOutputsRequest,
  type RunPastRequest,
  type RunPollRequest,
  type RunReadRequest,
  type RunResultRequest,
} from "../../src/contracts/runs/run-object-api.ts";
import {
  type RunComparisonApi,
  type RunElementsRequest,
  type RunValuesRequest,
  VALUES_MAX,
} from "../../src/contracts/runs/run-comparison-api.ts";
import type { RunStart } from "../../src/contracts/runs/run.ts";
import {
  type ClaimedCharge,
  type ClaimRequest,
  type ElementDigests,
  type ElementsRequest,
  type EmitRequest,
  type EmittedText,
  type HeartbeatRequest,
  type MediaWork,
  type ModelCalls,
  type PictureColorCounts,
  type RunTasksApi,
  type TaskOutcome,
  type TaskReport,
} from "../../src/contracts/runs/task.ts";
import { GIVE_BACK_REASONS } from "../../src/lib/task-given-back.ts";
import { ITERATION_FILTERS } from "../../src/contracts/runs/trace.ts";
import type {
  RunElement,
  RunExportApi,
  RunExportRequest,
  RunContentsRequest,
} from "../../src/contracts/runs/zip-export.ts";
import {
  flag,
  integer,
  list,
  literal,
  nullable,
  number,
  object,
  optional,
  text,
  unchecked,
  variants,
  version,
  whole,
} from "../../src/lib/json/shape.ts";
import type { Entries } from "../shared/entries.ts";
import type {
  DescribeSourceRequest,
  OpenSourceRequest,
  SourceCellsRequest,
} from "../../src/contracts/runs/run-source.ts";
import { embedViewer, ofWorkspace, retryRerun, START_FIELDS } from "../shared/entry-shapes.ts";

const v = version(1);
const asked = { v, workspace_id: text, base_url: text, embed: optional(embedViewer) };
const element = { node: whole, ord: whole };

/** Models of one task, with all fallbacks. */
const MODELS_MAX = 8;

const start = object<RunStart>({
  ...START_FIELDS,
  definition_json: text,
  reserved_milli_credits: whole,
  is_held: flag,
});

const report = object<TaskReport>({
  task_id: integer,
  fence: integer,
  duration_ms: number,
  outcome: variants<TaskOutcome, "kind">("kind", {
    ok: object<Extract<TaskOutcome, { kind: "ok" }>>({
      kind: literal("ok"),
      outputs: list(object<{ port: string; value: string }>({ port: text, value: text })),
    }),
    failed: object<Extract<TaskOutcome, { kind: "failed" }>>({
      kind: literal("failed"),
      code: text,
      message: text,
      retryable: flag,
      retry_after_ms: nullable(number),
      token: optional(text),
    }),
    waiting: object<Extract<TaskOutcome, { kind: "waiting" }>>({
      kind: literal("waiting"),
      token: text,
      resume_after_ms: number,
      is_queued: optional(flag),
    }),
    given_back: object<Extract<TaskOutcome, { kind: "given_back" }>>({
      kind: literal("given_back"),
      reason: literal(...GIVE_BACK_REASONS),
    }),
  }),
  // A claim that is out of bounds fails its element, and must not affect the other reports of the call.
  charge: optional(unchecked<ClaimedCharge>()),
  digests: optional(object<ElementDigests>({ inputs: text, outputs: optional(text) })),
  reused: optional(
    object<NonNullable<TaskReport["reused"]>>({ execution: text, milli_credits: whole }),
  ),
  stores_files: optional(flag),
  is_pure: optional(flag),
  models: optional(
    list(
      object<ModelCalls>({ provider: text, model: text, calls: whole, unconfirmed_repeats: whole }),
      MODELS_MAX,
    ),
  ),
  media: optional(
    object<MediaWork>({
      source_bytes: whole,
      output_bytes: whole,
      caption_count: nullable(whole),
      faststart: nullable(flag),
    }),
  ),
  picture_colors: optional(
    object<PictureColorCounts>({
      by_profile: whole,
      without_profile: whole,
      profile_not_applied: whole,
    }),
  ),
});

/** The requests that `fetch` serves. */
export const EVENTS_REQUEST = object<RunEventsRequest>({ ...asked, last_event_id: nullable(text) });

export const RUN_ENTRIES: Entries<RunObjectApi & RunTasksApi & RunExportApi & RunComparisonApi> = {
  start: [start],
  startOfBatch: [start],
  startOfHeardBatch: [start],
  read: [object<RunPollRequest>({ ...asked, if_none_match: nullable(text), wait_ms: whole })],
  listItem: [ofWorkspace],
  result: [object<RunResultRequest>({ ...asked, if_none_match: nullable(text) })],
  past: [
    object<RunPastRequest>({
      ...asked,
      document: literal(...PAST_DOCUMENTS),
      event_id: text,
      if_none_match: nullable(text),
    }),
  ],
  comparable: [object<RunReadRequest>(asked)],
  comparableElements: [object<RunElementsRequest>({ ...asked, node: integer, from: whole })],
  comparableValues: [
    object<RunValuesRequest>({
      ...asked,
      places: list(
        object<RunValuesRequest["places"][number]>({ node: integer, element: whole }),
        VALUES_MAX,
      ),
    }),
  ],
  readTrace: [object<RunReadRequest>(asked)],
  readIterations: [
    object<RunIterationsRequest>({
      ...asked,
      node_id: text,
      states: nullable(list(literal(...ITERATION_FILTERS))),
      page_size: whole,
      after: nullable(text),
    }),
  ],
  outputs: [
    object<RunOutputsRequest>({ ...asked, limit: nullable(whole), starting_after: nullable(text) }),
  ],
  cancel: [object<RunReadRequest>(asked)],
  promote: [object<{ v: 1 }>({ v })],
  audit: [ofWorkspace],
  readCell: [object<RunCellRequest>({ v, token: text, ...element })],
  readFile: [
    object<RunFileRequest>({ v, workspace_id: text, token: text, ...element, name: text }),
  ],
  expireOutputs: [
    object<RunExpiryRequest>({ v, workspace_id: text, batch: optional(nullable(text)) }),
  ],
  exportEntries: [
    object<RunExportRequest>({
      v,
      workspace_id: text,
      from: object<{ position: number; ord: number }>({ position: whole, ord: whole }),
      base_url: optional(text),
    }),
  ],
  exportContents: [
    object<RunContentsRequest>({
      v,
      workspace_id: text,
      elements: list(object<RunElement>(element), 100),
    }),
  ],
  openSource: [object<OpenSourceRequest>({ v, workspace_id: text, holder: text })],
  readSource: [
    object<SourceCellsRequest>({
      v,
      workspace_id: text,
      node: integer,
      beside: optional(list(integer)),
      from: whole,
      to: whole,
    }),
  ],
  describeSource: [
    object<DescribeSourceRequest>({ v, workspace_id: text, rerun: nullable(retryRerun) }),
  ],
  holdState: [ofWorkspace],
  claim: [object<ClaimRequest>({ v, chunk: whole, executor: text, takes_files: optional(flag) })],
  report: [object<Parameters<RunTasksApi["report"]>[0]>({ v, reports: list(report) })],
  resume: [object<Parameters<RunTasksApi["resume"]>[0]>({ v, tasks: list(integer) })],
  gaveUp: [object<Parameters<RunTasksApi["gaveUp"]>[0]>({ v, tasks: list(integer) })],
  emit: [
    object<EmitRequest>({
      v,
      texts: list(object<EmittedText>({ task_id: integer, fence: integer, at: whole, text })),
    }),
  ],
  elements: [object<ElementsRequest>({ v, task_id: integer, fence: integer, from: whole })],
  heartbeat: [
    object<HeartbeatRequest>({
      v,
      tasks: list(object<{ task_id: number; fence: number }>({ task_id: integer, fence: integer })),
      wait_ms: optional(whole),
    }),
  ],
};
