import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseCron } from "../../../../src/domain/schedules/times/cron-expression.ts";
import { CronTimes } from "../../../../src/domain/schedules/times/cron-times.ts";
import { findZoneClock } from "../../../../src/domain/schedules/times/zone-clock.ts";
import { DAYLIGHT_SAVING_CASES } from "./daylight-saving-cases.ts";

function timesOf(text: string, zoneName: string): CronTimes {
  const parsed = parseCron(text);
  const zone = findZoneClock(zoneName);
  if ("problem" in parsed || zone === undefined) {
    throw new Error(`not accepted: ${text} in ${zoneName}`);
  }
  return new CronTimes(parsed.cron, zone);
}

function nextTimes(text: string, zoneName: string, after: string, count: number): string[] {
  const times = timesOf(text, zoneName);
  const found: string[] = [];
  let at: number | null = Date.parse(after);
  while (found.length < count) {
    at = times.next(at);
    if (at === null) {
      break;
    }
    found.push(new Date(at).toISOString());
  }
  return found;
}

describe("times of a cron expression", () => {
  it.each(DAYLIGHT_SAVING_CASES)("in %s, %s after %s", (zone, cron, after, ...expected) => {
    expect(nextTimes(cron, zone, `${after}:00Z`, expected.length)).toEqual(
      expected.map((time) => `${time}:00.000Z`),
    );
  });

  it("are strictly after the given time, whatever its milliseconds", () => {
    expect(nextTimes("0 12 * * *", "UTC", "2026-05-01T11:59:59.999Z", 1)).toEqual([
      "2026-05-01T12:00:00.000Z",
    ]);
    expect(nextTimes("0 12 * * *", "UTC", "2026-05-01T12:00:00.000Z", 1)).toEqual([
      "2026-05-02T12:00:00.000Z",
    ]);
    expect(nextTimes("0 12 * * *", "UTC", "2026-05-01T12:00:00.001Z", 1)).toEqual([
      "2026-05-02T12:00:00.000Z",
    ]);
  });

  it("match either day if both days are restricted, and both if one begins with an asterisk", () => {
    expect(nextTimes("0 0 13 * FRI", "UTC", "2026-03-01T00:00:00Z", 4)).toEqual([
      "2026-03-06T00:00:00.000Z",
      "2026-03-13T00:00:00.000Z",
      "2026-03-20T00:00:00.000Z",
      "2026-03-27T00:00:00.000Z",
    ]);
    expect(nextTimes("0 0 */12 * FRI", "UTC", "2026-03-01T00:00:00Z", 2)).toEqual([
      "2026-03-13T00:00:00.000Z",
      "2026-05-01T00:00:00.000Z",
    ]);
  });

  it("leap over 40 years to the next 29 February on a Sunday across 2100", () => {
    expect(nextTimes("0 0 29 2 */7", "UTC", "2080-01-01T00:00:00Z", 2)).toEqual([
      "2088-02-29T00:00:00.000Z",
      "2128-02-29T00:00:00.000Z",
    ]);
    expect(nextTimes("0 0 29 2 *", "UTC", "2096-03-01T00:00:00Z", 1)).toEqual([
      "2104-02-29T00:00:00.000Z",
    ]);
  });

  it("fire at the first pass only, also if the looked-up offsets are cut within the second one", () => {
    const changeMs = Date.UTC(2026, 0, 1, 1);
    const cutMs = changeMs + 30 * 60_000;
    const [before, after] = [HOUR_MS, 0];
    const zone = {
      spanAt: (ms: number) =>
        ms < changeMs
          ? { startMs: -Infinity, endMs: changeMs, offsetMs: before, offsetBeforeMs: before }
          : ms < cutMs
            ? { startMs: changeMs, endMs: cutMs, offsetMs: after, offsetBeforeMs: before }
            : { startMs: cutMs, endMs: Infinity, offsetMs: after, offsetBeforeMs: after },
    };
    const parsed = parseCron("45 1 * * *");
    const times = "problem" in parsed ? undefined : new CronTimes(parsed.cron, zone);
    expect(times?.next(changeMs - 1000)).toBe(Date.UTC(2026, 0, 2, 1, 45));
  });

  it("are those of a walk over all minutes, in all zones and on all days", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...Intl.supportedValuesOf("timeZone")),
        fc.integer({ min: Date.UTC(1973, 0, 1), max: Date.UTC(2045, 0, 1) }),
        fc.integer({ min: 0, max: 59 }),
        fc.constantFrom("0", "23", "0-3", "1,2", "22,23", "*", "*/2", "2"),
        fc.boolean(),
        (zone, startMs, minute, hours, isAtChange) => {
          const fromMs = isAtChange ? beforeNextChange(zone, startMs) : startMs;
          const untilMs = fromMs + 30 * HOUR_MS;
          const times = timesOf(
            `${String(minute)},${String((minute + 17) % 60)} ${hours} * * *`,
            zone,
          );
          const found: number[] = [];
          for (let at = times.next(fromMs); at !== null && at <= untilMs; at = times.next(at)) {
            found.push(at);
          }
          const minutes = new Set([minute, (minute + 17) % 60]);
          expect(found).toEqual(walkedTimes(zone, minutes, hours, fromMs, untilMs));
        },
      ),
      { numRuns: 60 },
    );
  });
});

const HOUR_MS = 3_600_000;
const HOURS: { readonly [field: string]: (hour: number) => boolean } = {
  "0": (hour) => hour === 0,
  "2": (hour) => hour === 2,
  "23": (hour) => hour === 23,
  "0-3": (hour) => hour <= 3,
  "1,2": (hour) => hour === 1 || hour === 2,
  "22,23": (hour) => hour >= 22,
  "*": () => true,
  "*/2": (hour) => hour % 2 === 0,
};

const formats = new Map<string, Intl.DateTimeFormat>();

/** The wall clock as if it were UTC, from its fields: not the way in which the code under test reads offsets. */
function wallOf(zone: string, ms: number): number {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat("en-GB", {
      timeZone: zone,
      dateStyle: "short",
      timeStyle: "medium",
    });
    formats.set(zone, format);
  }
  const [day, month, year, hour, minute, second] = format.format(ms).split(/\D+/).map(Number);
  return Date.UTC(year ?? 0, (month ?? 0) - 1, day, hour, minute, second);
}

/** 15 hours before the next change of the zone's offset within 200 days, else the given time. */
function beforeNextChange(zone: string, fromMs: number): number {
  const offset = wallOf(zone, fromMs) - Math.floor(fromMs / 1000) * 1000;
  for (let ms = fromMs; ms < fromMs + 200 * 24 * HOUR_MS; ms += 12 * HOUR_MS) {
    if (wallOf(zone, ms) - Math.floor(ms / 1000) * 1000 !== offset) {
      return ms - 15 * HOUR_MS;
    }
  }
  return fromMs;
}

/** The rules, read from the wall clock of every minute. */
function walkedTimes(
  zone: string,
  minutes: ReadonlySet<number>,
  hours: string,
  fromMs: number,
  untilMs: number,
): number[] {
  const found: number[] = [];
  const isHour = HOURS[hours] ?? (() => false);
  const matches = (wall: number) => {
    const date = new Date(wall);
    return minutes.has(date.getUTCMinutes()) && isHour(date.getUTCHours());
  };
  // Offsets are whole minutes since 1973.
  const begin = Math.floor((fromMs - 30 * HOUR_MS) / 60_000) * 60_000;
  let reached = -Infinity;
  for (let ms = begin; ms <= untilMs; ms += 60_000) {
    const wall = wallOf(zone, ms);
    const isFirstPass = wall > reached;
    let fires = matches(wall) && (hours.startsWith("*") || isFirstPass);
    if (!hours.startsWith("*") && reached !== -Infinity) {
      for (let skipped = reached + 60_000; skipped < wall; skipped += 60_000) {
        fires ||= matches(skipped);
      }
    }
    reached = Math.max(reached, wall);
    if (fires && ms > fromMs) {
      found.push(ms);
    }
  }
  return found;
}
