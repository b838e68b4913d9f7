import * as z from "zod";
import { parseCron } from "../../domain/schedules/times/cron-expression.ts";
import { findZoneClock } from "../../domain/schedules/times/zone-clock.ts";
import { showValue } from "../../lib/json/show-value.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

const INTERVAL_MAX_SECONDS = LIMITS.schedule_interval.value / 1000;

/** A time in the body of a schedule: ISO 8601 with a zone, to milliseconds since 1970. */
export const scheduleTimeField = z.iso
  .datetime({
    offset: true,
    error: "Must be an ISO 8601 time with a zone, like 2026-01-31T12:00:00Z",
  })
  .transform((text) => Date.parse(text))
  .refine((ms) => ms >= 0, "Must not be before 1970");

/** The fields that settle the times of a schedule (docs/contract/schedules.md#times). */
export const timingFields = {
  cron: z
    .string()
    .superRefine((text, refinement) => {
      const parsed = parseCron(text);
      if ("problem" in parsed) {
        refinement.addIssue({ code: "custom", message: `The cron expression ${parsed.problem}` });
      }
    })
    .nullish()
    .describe(
      "Five fields: minute, hour, day-of-month, month, day-of-week; or `@hourly`, `@daily`, `@midnight`, `@weekly`, `@monthly`, `@yearly`, `@annually`. Exactly one of `cron` and `interval_seconds` is set.",
    ),
  interval_seconds: z
    .int()
    .min(1)
    .max(INTERVAL_MAX_SECONDS)
    .nullish()
    .describe("Seconds between two times, counted from `starts_at`."),
  time_zone: z
    .string()
    .superRefine((name, refinement) => {
      if (findZoneClock(name) === undefined) {
        refinement.addIssue({
          code: "custom",
          message: `${showValue(name)} is not a known time zone. Use a name of the IANA database, such as Europe/Berlin`,
        });
      }
    })
    .default("UTC")
    .describe("IANA name of the zone on whose wall clock `cron` is read."),
  starts_at: scheduleTimeField.nullish().describe("Of times before it, none fires."),
};

/** Refines a body with `timingFields`: exactly one of `cron` and `interval_seconds`, checked beside other problems. */
export function withOneTiming<T extends z.ZodType>(body: T): T {
  return body.refine((given) => isOneTiming(given), {
    path: ["cron"],
    message: "Exactly one of cron and interval_seconds must be set",
    when: ({ value }) => typeof value === "object" && value !== null,
  });
}

function isOneTiming(given: unknown): boolean {
  if (typeof given !== "object" || given === null) {
    return false;
  }
  const cron = "cron" in given ? given.cron : null;
  const interval = "interval_seconds" in given ? given.interval_seconds : null;
  return (cron ?? null) === null ? (interval ?? null) !== null : (interval ?? null) === null;
}
