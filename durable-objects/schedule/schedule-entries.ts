import type {
  ScheduleFields,
  ScheduleObjectApi,
  ScheduleRecord,
} from "../../src/contracts/schedules/schedule-object-api.ts";
import {
  flag,
  literal,
  nullable,
  object,
  optional,
  text,
  version,
  whole,
} from "../../src/lib/json/shape.ts";
import type { Entries } from "../shared/entries.ts";
import { cacheOptions } from "../shared/entry-shapes.ts";

type Argument<M extends keyof ScheduleObjectApi> = Parameters<ScheduleObjectApi[M]>[0];

const v = version(1);
const ofWorkspace = { v, workspace_id: text };

const fields = {
  name: text,
  workflow: text,
  version: nullable(whole),
  interface: nullable(text),
  inputs_json: text,
  admission_limits: nullable(
    object<NonNullable<ScheduleFields["admission_limits"]>>({
      max_iterations_per_node: optional(whole),
      max_admitted_milli_credits: optional(whole),
    }),
  ),
  cache: optional(nullable(cacheOptions)),
  cron: nullable(text),
  interval_seconds: nullable(whole),
  time_zone: text,
  starts_at_ms: nullable(whole),
  ends_at_ms: nullable(whole),
  max_runs: nullable(whole),
  jitter_seconds: whole,
  overlap: literal("skip", "queue", "allow", "cancel_previous"),
  catch_up: literal("none", "latest", "all"),
  catch_up_window_seconds: whole,
  scheduled_time_input: nullable(text),
};

export const SCHEDULE_ENTRIES: Entries<ScheduleObjectApi> = {
  create: [
    object<Argument<"create">>({
      v,
      record: object<ScheduleRecord>({
        ...fields,
        id: text,
        workspace_id: text,
        organization_id: text,
        base_url: text,
        created_at_ms: whole,
        updated_at_ms: whole,
        revision: whole,
      }),
    }),
  ],
  confirm: [object<Argument<"confirm">>(ofWorkspace)],
  read: [object<Argument<"read">>({ ...ofWorkspace, tells_elsewhere: optional(flag) })],
  change: [
    object<Argument<"change">>({
      ...ofWorkspace,
      base_revision: whole,
      fields: object<ScheduleFields>(fields),
    }),
  ],
  setStatus: [
    object<Argument<"setStatus">>({ ...ofWorkspace, action: literal("pause", "resume") }),
  ],
  remove: [object<Argument<"remove">>(ofWorkspace)],
  trigger: [object<Argument<"trigger">>({ ...ofWorkspace, key: text })],
  listFirings: [
    object<Argument<"listFirings">>({ ...ofWorkspace, limit: whole, below_seq: nullable(whole) }),
  ],
};
