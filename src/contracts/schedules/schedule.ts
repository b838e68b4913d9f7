/** Schedules and their firings as callers see them (docs/contract/schedules.md). */
import * as z from "zod";
import { listOf } from "../list.ts";
import { CacheOptions } from "../runs/cache-options.ts";
import { AdmissionLimits } from "../runs/run.ts";
import { timestampField } from "../timestamp.ts";

export const ScheduleStatus = z.enum(["active", "paused", "ended"]);
export type ScheduleStatus = z.infer<typeof ScheduleStatus>;

export const OverlapPolicy = z.enum(["skip", "queue", "allow", "cancel_previous"]);
export type OverlapPolicy = z.infer<typeof OverlapPolicy>;

export const CatchUpPolicy = z.enum(["none", "latest", "all"]);
export type CatchUpPolicy = z.infer<typeof CatchUpPolicy>;

const orNull = timestampField.nullable();

export const Schedule = z
  .object({
    id: z.string().describe("Id of the schedule, `sch_…`."),
    name: z.string().describe("Name of the schedule, for people."),
    status: ScheduleStatus.describe(
      "`active` starts runs. `paused` starts none. `ended`: no further time, or `max_runs` is reached.",
    ),
    workflow: z.string().describe("Id of the workflow that runs."),
    version: z.int().nullable().describe("The pinned version; null for the latest at each start."),
    interface: z
      .string()
      .nullable()
      .describe("Id of a custom interface; null for the default one."),
    inputs: z
      .record(z.string(), z.unknown())
      .describe("By input key: exactly one of `value` (JSON-encoded) and `asset_path`."),
    admission_limits: AdmissionLimits.nullable().describe("Bounds of each run; null: none."),
    cache: CacheOptions.nullable().describe(
      "How each run uses the result cache; null: as its nodes say.",
    ),
    cron: z.string().nullable().describe("The cron expression; null for an interval."),
    interval_seconds: z.int().nullable().describe("Seconds between two times; null for `cron`."),
    time_zone: z.string().describe("IANA name of the zone on whose wall clock `cron` is read."),
    starts_at: orNull.describe("Of times before it, none fires; null: no such bound."),
    ends_at: orNull.describe("Of times after it, none fires; null: no such bound."),
    max_runs: z.int().nullable().describe("Runs after which the schedule ends; null: no limit."),
    jitter_seconds: z.int().describe("Most seconds by which a start follows its nominal time."),
    overlap: OverlapPolicy.describe("What happens while an earlier run is not terminal."),
    catch_up: CatchUpPolicy.describe("Which of the missed times are started."),
    catch_up_window_seconds: z.int().describe("Age of the oldest time that is caught up."),
    scheduled_time_input: z
      .string()
      .nullable()
      .describe("Key of the text input that gets the nominal time; null: none."),
    next_at: orNull.describe("The next nominal time; null unless the schedule is active."),
    last_at: orNull.describe("The nominal time of the last run that was started at one."),
    runs_started: z.int().describe("Runs started at nominal times, without triggered ones."),
    created_at: timestampField.describe("Time of the creation."),
    updated_at: timestampField.describe("Time of the last change by a caller."),
  })
  .meta({ id: "Schedule" });
export type Schedule = z.infer<typeof Schedule>;

export const ScheduleList = listOf(Schedule).meta({ id: "ScheduleList" });

export const FiringOutcome = z.enum([
  "started",
  "skipped_overlap",
  "queued",
  "missed",
  "failed",
  "triggered",
]);
export type FiringOutcome = z.infer<typeof FiringOutcome>;

export const ScheduleFiring = z
  .object({
    scheduled_for: timestampField.describe("The nominal time; of a trigger, the time of the call."),
    due_at: timestampField.describe("The nominal time with the jitter's delay."),
    fired_at: orNull.describe("When it was handled; null for a time that was missed."),
    outcome: FiringOutcome.describe(
      "`queued` becomes `started` when the run starts. `missed`: the service did not run, or the schedule was paused or changed.",
    ),
    execution: z.string().nullable().describe("Id of the run; null if none was made."),
    error_code: z.string().nullable().describe("Of `failed`: the code of the refused submit."),
  })
  .meta({ id: "ScheduleFiring" });
export type ScheduleFiring = z.infer<typeof ScheduleFiring>;

export const ScheduleFiringList = listOf(ScheduleFiring).meta({ id: "ScheduleFiringList" });
