import { describe, expect, it } from "vitest";
import {
  latestTimes,
  nominalTimes,
  type ScheduleTiming,
  startDelayMs,
} from "../../../../src/domain/schedules/times/nominal-times.ts";

const at = (text: string) => Date.parse(text);
const timing = (fields: Partial<ScheduleTiming>): ScheduleTiming => ({
  cron: null,
  interval_seconds: null,
  time_zone: "UTC",
  starts_at_ms: null,
  ends_at_ms: null,
  created_at_ms: at("2026-01-01T00:00:00Z"),
  ...fields,
});
const all = (fields: Partial<ScheduleTiming>, afterMs: number, max = 100) => {
  const times = nominalTimes(timing(fields));
  const found: string[] = [];
  for (let ms = times.next(afterMs); ms !== null && found.length < max; ms = times.next(ms)) {
    found.push(new Date(ms).toISOString().replace(".000Z", "Z"));
  }
  return found;
};

describe("nominal times", () => {
  it("of an interval begin one interval after the creation", () => {
    expect(all({ interval_seconds: 60 }, 0, 2)).toEqual([
      "2026-01-01T00:01:00Z",
      "2026-01-01T00:02:00Z",
    ]);
  });

  it("of an interval begin at a later start, and keep to an earlier one", () => {
    const later = { interval_seconds: 60, starts_at_ms: at("2026-01-02T00:00:30Z") };
    expect(all(later, 0, 2)).toEqual(["2026-01-02T00:00:30Z", "2026-01-02T00:01:30Z"]);
    const earlier = { interval_seconds: 7, starts_at_ms: at("2025-12-31T23:59:50Z") };
    expect(all(earlier, 0, 2)).toEqual(["2026-01-01T00:00:04Z", "2026-01-01T00:00:11Z"]);
  });

  it("include those at the start and at the end, and none beyond", () => {
    const bounded = {
      cron: "0 * * * *",
      starts_at_ms: at("2026-01-01T05:00:00Z"),
      ends_at_ms: at("2026-01-01T07:00:00Z"),
    };
    expect(all(bounded, 0)).toEqual([
      "2026-01-01T05:00:00Z",
      "2026-01-01T06:00:00Z",
      "2026-01-01T07:00:00Z",
    ]);
  });

  it("end with the year 9999", () => {
    expect(all({ cron: "0 0 1 1 *" }, at("9998-06-01T00:00:00Z"))).toEqual([
      "9999-01-01T00:00:00Z",
    ]);
    expect(all({ interval_seconds: 31_536_000 }, at("9999-10-01T00:00:00Z"))).toEqual([]);
  });
});

describe("the latest times", () => {
  it.each([
    [{ interval_seconds: 1 }, 7 * 86_400, 100],
    [{ cron: "* * * * *" }, 86_400 * 365, 100],
    [{ cron: "0 0 * * *" }, 86_400 * 10, 100],
    [{ cron: "0 0 29 2 *" }, 86_400 * 3000, 2],
    [{ interval_seconds: 60 }, 59, 100],
  ] as const)("of %j are those of a walk over all times", (fields, seconds, max) => {
    const times = nominalTimes(timing(fields));
    const fromMs = at("2026-01-01T00:00:00Z");
    const untilMs = fromMs + seconds * 1000;
    const walked: number[] = [];
    for (let ms = times.next(fromMs); ms !== null && ms <= untilMs; ms = times.next(ms)) {
      walked.push(ms);
    }
    expect(latestTimes(times, fromMs, untilMs, max)).toEqual(walked.slice(-max));
  });

  it("ask for a number of times that does not grow with the missed ones", () => {
    const times = nominalTimes(timing({ interval_seconds: 1 }));
    let asked = 0;
    const counted = { next: (ms: number) => (asked++, times.next(ms)) };
    const fromMs = at("2026-01-01T00:00:00Z");
    expect(latestTimes(counted, fromMs, fromMs + 365 * 86_400_000, 100)).toHaveLength(100);
    expect(asked).toBeLessThan(1000);
  });
});

describe("the delay of a start", () => {
  it("is the first 8 hex digits of the digest, modulo one more than the jitter, in whole seconds", () => {
    // printf 'sch_0190f3a27c1e70008000000000000000|2026-01-01T00:00:00.000Z' | sha256sum
    const nominalMs = at("2026-01-01T00:00:00Z");
    const delay = (jitter: number) =>
      startDelayMs("sch_0190f3a27c1e70008000000000000000", nominalMs, jitter);
    expect(delay(0)).toBe(0);
    expect(delay(1)).toBe((DIGITS % 2) * 1000);
    expect(delay(3600)).toBe((DIGITS % 3601) * 1000);
  });
});

const DIGITS = 0x16ab5afb;
