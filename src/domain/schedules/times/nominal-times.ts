import { createHash } from "node:crypto";
import { parseCron } from "./cron-expression.ts";
import { CronTimes } from "./cron-times.ts";
import { findZoneClock } from "./zone-clock.ts";

/** What settles the nominal times of a schedule; exactly one of `cron` and `interval_seconds` is not null. */
export interface ScheduleTiming {
  readonly cron: string | null;
  readonly interval_seconds: number | null;
  /** IANA name. */
  readonly time_zone: string;
  /** Of times before it, none fires; null: no such bound. An interval counts from it. */
  readonly starts_at_ms: number | null;
  /** Of times after it, none fires; null: no such bound. */
  readonly ends_at_ms: number | null;
  /** An interval without `starts_at_ms` counts from it; of times up to it, none fires. */
  readonly created_at_ms: number;
}

/** Nominal times in ascending order, in milliseconds since 1970. */
export interface NominalTimes {
  /** Returns the first time strictly after `afterMs`; null if there is none. */
  next(afterMs: number): number | null;
}

/** Last time that an ISO 8601 timestamp with four digits of a year can name. */
const LAST_MS = Date.UTC(10_000, 0, 1) - 1;
/** First span in which `latestTimes` looks back, and the factor by which it grows. */
const LOOK_BACK_MS = 60_000;
const LOOK_BACK_FACTOR = 4;

/** Returns the nominal times of a schedule (docs/contract/schedules.md). Throws for a timing that was never accepted. */
export function nominalTimes(timing: ScheduleTiming): NominalTimes {
  const source = timing.cron === null ? intervalTimes(timing) : cronTimes(timing.cron, timing);
  const earliestMs = Math.max(timing.created_at_ms, (timing.starts_at_ms ?? -Infinity) - 1);
  const latestMs = Math.min(timing.ends_at_ms ?? LAST_MS, LAST_MS);
  return {
    next(afterMs) {
      const next = source.next(Math.max(afterMs, earliestMs));
      return next === null || next > latestMs ? null : next;
    },
  };
}

function intervalTimes(timing: ScheduleTiming): NominalTimes {
  const stepMs = (timing.interval_seconds ?? 0) * 1000;
  if (stepMs <= 0) {
    throw new Error("A schedule has neither a cron expression nor an interval.");
  }
  const startMs = timing.starts_at_ms ?? timing.created_at_ms;
  return {
    next: (afterMs) => startMs + Math.max(0, Math.floor((afterMs - startMs) / stepMs) + 1) * stepMs,
  };
}

function cronTimes(text: string, { time_zone }: ScheduleTiming): NominalTimes {
  const parsed = parseCron(text);
  const zone = findZoneClock(time_zone);
  if ("problem" in parsed || zone === undefined) {
    throw new Error("A schedule has a cron expression or a time zone that was never accepted.");
  }
  return new CronTimes(parsed.cron, zone);
}

/**
 * Returns the last `max` times in (`afterMs`, `untilMs`], oldest first, without a walk over all of them: it looks back
 * over longer and longer spans.
 */
export function latestTimes(
  times: NominalTimes,
  afterMs: number,
  untilMs: number,
  max: number,
): number[] {
  for (let spanMs = LOOK_BACK_MS; ; spanMs *= LOOK_BACK_FACTOR) {
    const fromMs = Math.max(afterMs, untilMs - spanMs);
    const found: number[] = [];
    for (let at = times.next(fromMs); at !== null && at <= untilMs; at = times.next(at)) {
      found.push(at);
    }
    if (found.length >= max || fromMs <= afterMs) {
      return found.slice(-max);
    }
  }
}

/**
 * Returns the delay of a start after its nominal time, in milliseconds: the first 8 hex digits of the SHA-256 of
 * `{id}|{nominal time}`, modulo jitter + 1 seconds.
 */
export function startDelayMs(scheduleId: string, nominalMs: number, jitterSeconds: number): number {
  if (jitterSeconds === 0) {
    return 0;
  }
  const text = `${scheduleId}|${new Date(nominalMs).toISOString()}`;
  const digits = createHash("sha256").update(text).digest("hex").slice(0, 8);
  return (Number.parseInt(digits, 16) % (jitterSeconds + 1)) * 1000;
}
