import type { Limits } from "./limit.ts";

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;

/** Schedules: a part of the table of limits. */
export const SCHEDULE_LIMITS = {
  cron_expression: {
    name: "Cron expression of a schedule",
    value: 512,
    unit: "characters",
    reason: "Lists of all values of all five fields have 360.",
  },
  schedule_interval: {
    name: "Interval of a schedule",
    value: 365 * DAY,
    unit: "milliseconds",
    reason: "A year. Rarer times are written as a cron expression.",
  },
  schedule_preview: {
    name: "Times of a preview of a schedule",
    value: 100,
    unit: "count",
    reason: "A preview shows whether an expression means the intended times.",
  },
  schedule_catch_up: {
    name: "Missed times of a schedule that are caught up or recorded at once",
    value: 100,
    unit: "count",
    reason: "As many as its firings that are kept.",
  },
  schedule_lateness: {
    name: "Delay of a start of a schedule, from which its time was missed",
    value: 60_000,
    unit: "milliseconds",
    reason: "A busy service starts later; a service that did not run catches up.",
  },
  schedule_firings: {
    name: "Firings of a schedule that are kept",
    value: 100,
    unit: "count",
    reason: "The runs themselves are kept longer; they can be listed by schedule.",
  },
  schedule_jitter: {
    name: "`jitter_seconds` of a schedule",
    value: HOUR,
    unit: "milliseconds",
    reason: "It spreads starts that would come at once; more would move them to another hour.",
  },
  schedule_catch_up_window: {
    name: "`catch_up_window_seconds` of a schedule",
    value: 7 * DAY,
    unit: "milliseconds",
    reason: "A week. What was missed longer ago is seldom wanted.",
  },
  schedule_inputs: {
    name: "`inputs` of a schedule, as JSON",
    value: 256 * 1024,
    unit: "bytes",
    reason: "They are stored with the schedule. Larger data is uploaded as an asset.",
  },
} as const satisfies Limits;
