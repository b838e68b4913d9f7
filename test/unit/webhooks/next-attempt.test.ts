import { describe, expect, test } from "vitest";
import {
  DELIVERY_DEADLINE_MS,
  nextAttemptMs,
  RETRY_STEPS_MS,
  retryAfterFloor,
} from "../../../src/domain/webhooks/deliveries/next-attempt.ts";

const T = Date.UTC(2026, 10, 20, 12, 0, 0);
const failed = (more: Partial<Parameters<typeof nextAttemptMs>[0]> = {}) => ({
  failures: 1,
  startedAtMs: T,
  endedAtMs: T,
  floorMs: null,
  deadlineMs: T + DELIVERY_DEADLINE_MS,
  ...more,
});

describe("the schedule", () => {
  test("has the documented delays, with a jitter of a fifth", () => {
    expect(RETRY_STEPS_MS.map((ms) => ms / 1000)).toEqual([
      5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800, 28_800,
    ]);
    RETRY_STEPS_MS.forEach((step, index) => {
      const at = (random: number) => nextAttemptMs(failed({ failures: index + 1 }), () => random)!;
      expect(at(0)).toBe(T + Math.ceil(step * 0.8));
      expect(at(0.5)).toBeCloseTo(T + step, -1);
      expect(at(0.999_999)).toBeLessThanOrEqual(T + step * 1.2);
    });
  });

  test("ends after the eleventh attempt", () => {
    expect(nextAttemptMs(failed({ failures: 11 }), () => 0)).toBeNull();
  });

  test("uses the receiver's requested time if it is later, to the millisecond", () => {
    expect(nextAttemptMs(failed({ floorMs: T + 60_000 }), () => 0.9)).toBe(T + 60_000);
    expect(nextAttemptMs(failed({ floorMs: T + 1_000 }), () => 0)).toBe(T + 4_000);
    expect(nextAttemptMs(failed({ floorMs: T - 1_000_000 }), () => 0)).toBe(T + 4_000);
  });

  test("makes an attempt due past the deadline at it, once", () => {
    const deadlineMs = T + 10_000;
    expect(nextAttemptMs(failed({ failures: 5, deadlineMs }), () => 0.5)).toBe(deadlineMs);
    const last = failed({
      failures: 6,
      deadlineMs,
      startedAtMs: deadlineMs,
      endedAtMs: deadlineMs,
    });
    expect(nextAttemptMs(last, () => 0.5)).toBeNull();
  });

  test("is exhausted at once if the receiver forbids attempts until after the deadline", () => {
    const floorMs = T + DELIVERY_DEADLINE_MS + 1;
    expect(nextAttemptMs(failed({ floorMs }), () => 0)).toBeNull();
    expect(nextAttemptMs(failed({ floorMs: Infinity }), () => 0)).toBeNull();
    expect(nextAttemptMs(failed({ floorMs: floorMs - 1 }), () => 0)).toBe(floorMs - 1);
  });
});

describe("Retry-After", () => {
  test("is read as seconds, and as a date in its three forms", () => {
    expect(retryAfterFloor("120", T)).toBe(T + 120_000);
    expect(retryAfterFloor(" 0 ", T)).toBe(T);
    expect(retryAfterFloor("99999999999999999999999999", T)).toBeGreaterThan(T * 1_000);
    expect(retryAfterFloor("9".repeat(400), T)).toBe(Infinity);
    const at = T + 90_000;
    expect(retryAfterFloor("Fri, 20 Nov 2026 12:01:30 GMT", T)).toBe(at);
    expect(retryAfterFloor("Friday, 20-Nov-26 12:01:30 GMT", T)).toBe(at);
    expect(retryAfterFloor("Fri Nov 20 12:01:30 2026", T)).toBe(at);
    expect(retryAfterFloor("Sun Nov  1 12:01:30 2026", T)).toBe(Date.UTC(2026, 10, 1, 12, 1, 30));
  });

  test("is ignored if it is neither", () => {
    for (const header of [
      null,
      "",
      "-5",
      "1.5",
      "5s",
      "soon",
      "2026-11-20",
      "Fri, 20 Nov 2026",
      "+5",
      "0x10",
    ]) {
      expect(retryAfterFloor(header, T), String(header)).toBeNull();
    }
  });
});
