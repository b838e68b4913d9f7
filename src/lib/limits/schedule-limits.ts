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
} as const satisfies Limits;
