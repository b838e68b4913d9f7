import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LOST_AFTER_MS, ObjectAlarm } from "../../../durable-objects/shared/object-alarm.ts";

const NOW = 1_800_000_000_000;

/** An alarm as stored by the platform. */
class Platform {
  atMs: number | null = null;
  /** Times to which it was set. */
  readonly set: number[] = [];

  setAlarm(atMs: number): Promise<void> {
    this.atMs = atMs;
    this.set.push(atMs);
    return Promise.resolve();
  }

  deleteAlarm(): Promise<void> {
    this.atMs = null;
    return Promise.resolve();
  }

  getAlarm(): Promise<number | null> {
    return Promise.resolve(this.atMs);
  }
}

function made(platform = new Platform()) {
  const options = { object: "test", failedEvent: "test.alarm_failed", retryMs: 500 };
  return { platform, alarm: new ObjectAlarm(platform as never, options) };
}

beforeEach(() => {
  vi.useFakeTimers({ now: NOW });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("the alarm of an object", () => {
  it("is never set to the current millisecond or the past", () => {
    const { platform, alarm } = made();
    alarm.arm(NOW);
    alarm.moveTo(NOW - 5_000);
    expect(platform.set).toEqual([NOW + 1, NOW + 1]);
  });

  it("is moved to an earlier time only", () => {
    const { platform, alarm } = made();
    alarm.arm(NOW + 900);
    alarm.arm(NOW + 5_000);
    alarm.arm(NOW + 100);
    alarm.arm(NOW + 101);
    expect(platform.set).toEqual([NOW + 900, NOW + 100]);
    alarm.moveTo(NOW + 7_000);
    expect(platform.atMs).toBe(NOW + 7_000);
  });

  it("that is about to fire is not delayed by traffic, and a lost one is set again", () => {
    const { platform, alarm } = made();
    alarm.arm(NOW + 10);
    for (let ms = 0; ms < LOST_AFTER_MS; ms += 5) {
      vi.setSystemTime(NOW + 10 + ms);
      alarm.arm(Date.now());
      alarm.arm(Date.now() + 2_000);
    }
    expect(platform.set).toEqual([NOW + 10]);
    vi.setSystemTime(NOW + 10 + LOST_AFTER_MS);
    alarm.arm(Date.now());
    expect(platform.set).toEqual([NOW + 10, NOW + 10 + LOST_AFTER_MS + 1]);
  });

  it("can be set when it has fired, also from within its handler", async () => {
    const { platform, alarm } = made();
    alarm.arm(NOW + 10);
    vi.setSystemTime(NOW + 12);
    await alarm.fire(() => {
      alarm.arm(Date.now() + 3_000);
    });
    expect(platform.atMs).toBe(NOW + 3_012);
    expect(alarm.armedMs).toBe(NOW + 3_012);
    alarm.disarm();
    expect([platform.atMs, alarm.armedMs]).toEqual([null, null]);
  });

  it("with a failing handler is logged, does not throw, and fires again later", async () => {
    const { platform, alarm } = made();
    const said = vi.spyOn(console, "error").mockImplementation(() => undefined);
    await alarm.fire(() => {
      alarm.arm(Date.now());
      throw new Error("a secret");
    });
    expect(platform.atMs).toBe(NOW + 500);
    expect(String(said.mock.calls[0]?.[0])).toContain('"event":"test.alarm_failed"');
    await alarm.fire(
      () => Promise.reject(new TypeError("again")),
      (error) => (error instanceof TypeError ? 60_000 : 0),
    );
    expect(platform.atMs).toBe(NOW + 60_000);
    said.mockRestore();
  });

  it("stays as set by an earlier instance, if requested", async () => {
    const { platform, alarm } = made();
    await alarm.armWhereNone(NOW + 1_000);
    expect(platform.set).toEqual([NOW + 1_000]);
    const woken = made(platform).alarm;
    await woken.armWhereNone(NOW + 400);
    await woken.armWhereNone(NOW + 9_000);
    expect(platform.set).toEqual([NOW + 1_000]);
  });
});
