import * as z from "zod";
import { Name } from "../../contracts/name.ts";
import { SubmitExecution } from "../../contracts/runs/execution-requests.ts";
import { CacheOptions } from "../../contracts/runs/cache-options.ts";
import { AdmissionLimits } from "../../contracts/runs/run.ts";
import type { ScheduleFields } from "../../contracts/schedules/schedule-object-api.ts";
import { CatchUpPolicy, OverlapPolicy } from "../../contracts/schedules/schedule.ts";
import { isJsonObject, type JsonValue, stringifyJson } from "../../lib/json/exact-json.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { idField } from "../id-field.ts";
import { scheduleTimeField, timingFields } from "./timing-fields.ts";

const JITTER_MAX_S = LIMITS.schedule_jitter.value / 1000;
const WINDOW_MAX_S = LIMITS.schedule_catch_up_window.value / 1000;

/** Fields of a schedule that callers set; null is the same as an omitted field of a creation. */
const scheduleFields = {
  name: Name.describe("Name of the schedule, for people."),
  workflow: idField("workflow", "invalid_request").describe(
    "The published workflow to run, `wf_…`.",
  ),
  version: z.int().nullish().describe("Pins a version; null: the latest at each start."),
  interface: z
    .string()
    .max(LIMITS.identifier.value)
    .nullish()
    .describe("Id of a custom interface; null: the default one."),
  inputs: SubmitExecution.shape.inputs,
  admission_limits: AdmissionLimits.nullish(),
  cache: CacheOptions.nullish(),
  ...timingFields,
  ends_at: scheduleTimeField.nullish().describe("Of times after it, none fires."),
  max_runs: z.int().min(1).nullish().describe("Runs after which the schedule ends."),
  jitter_seconds: z
    .int()
    .min(0)
    .max(JITTER_MAX_S)
    .default(0)
    .describe("Most seconds by which a start follows its nominal time."),
  overlap: OverlapPolicy.default("skip").describe("What happens while an earlier run is live."),
  catch_up: CatchUpPolicy.default("latest").describe("Which of the missed times are started."),
  catch_up_window_seconds: z
    .int()
    .min(0)
    .max(WINDOW_MAX_S)
    .default(3_600)
    .describe("Age of the oldest time that is caught up."),
  scheduled_time_input: z
    .string()
    .max(LIMITS.name.value)
    .nullish()
    .describe(
      "Key of a text input, not in `inputs`, that gets the nominal time as ISO 8601 in UTC.",
    ),
};

export const CreateSchedule = z.strictObject(scheduleFields).meta({ id: "CreateSchedule" });

/** Every field may be omitted, and then stays as it is. */
export const PatchSchedule = z
  .strictObject(
    Object.fromEntries(
      Object.entries(scheduleFields).map(([name, field]) => [
        name,
        (field instanceof z.ZodDefault ? (field.unwrap() as z.ZodType) : field).optional(),
      ]),
    ) as Patched,
  )
  .meta({ id: "PatchSchedule" });

/** The same fields without defaults: an omitted one is undefined. */
type Patched = {
  [K in keyof typeof scheduleFields]: z.ZodOptional<
    (typeof scheduleFields)[K] extends z.ZodDefault<infer T extends z.ZodType>
      ? T
      : (typeof scheduleFields)[K]
  >;
};

/** Returns the fields of a creation as they are stored. */
export function fieldsOfBody(
  body: z.output<typeof CreateSchedule>,
  exactBody: JsonValue,
): ScheduleFields {
  return {
    name: body.name,
    workflow: body.workflow,
    version: body.version ?? null,
    interface: body.interface ?? null,
    inputs_json: inputsJson(exactBody),
    admission_limits: body.admission_limits ?? null,
    cache: body.cache ?? null,
    cron: body.cron ?? null,
    interval_seconds: body.interval_seconds ?? null,
    time_zone: body.time_zone,
    starts_at_ms: body.starts_at ?? null,
    ends_at_ms: body.ends_at ?? null,
    max_runs: body.max_runs ?? null,
    jitter_seconds: body.jitter_seconds,
    overlap: body.overlap,
    catch_up: body.catch_up,
    catch_up_window_seconds: body.catch_up_window_seconds,
    scheduled_time_input: body.scheduled_time_input ?? null,
  };
}

/**
 * Returns the fields that a change names, as they are stored. A change from `cron` to an interval, or back, names the
 * new one; the other becomes null.
 */
export function fieldsOfPatch(
  body: z.output<typeof PatchSchedule>,
  exactBody: JsonValue,
): Partial<ScheduleFields> {
  const { starts_at, ends_at, inputs, cron, interval_seconds, ...rest } = body;
  const timing = {
    ...(cron != null && { interval_seconds: null }),
    ...(interval_seconds != null && { cron: null }),
    ...(cron !== undefined && { cron }),
    ...(interval_seconds !== undefined && { interval_seconds }),
  };
  const named = Object.fromEntries(
    Object.entries(rest).filter(([, value]) => value !== undefined),
  ) as Partial<ScheduleFields>;
  return {
    ...named,
    ...timing,
    ...(starts_at !== undefined && { starts_at_ms: starts_at }),
    ...(ends_at !== undefined && { ends_at_ms: ends_at }),
    ...(inputs !== undefined && { inputs_json: inputsJson(exactBody) }),
  };
}

function inputsJson(exactBody: JsonValue): string {
  const inputs = isJsonObject(exactBody) ? exactBody["inputs"] : undefined;
  return stringifyJson(isJsonObject(inputs) ? inputs : {});
}
