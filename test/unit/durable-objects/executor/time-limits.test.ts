import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { TimeLimits } from "../../../../durable-objects/executor/time-limits.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("limits on the time of tasks", () => {
  test("each task is notified when its own limit has passed, in any order of starts and ends", () => {
    const limits = new TimeLimits();
    const late: string[] = [];
    const startMs = Date.now();
    const start = (id: number, limitMs: number) => {
      limits.start(id, limitMs, () => late.push(`${id} at ${Date.now() - startMs}`));
    };
    start(1, 300);
    start(2, 100);
    vi.advanceTimersByTime(50);
    start(3, 100);
    start(4, 20);
    start(5, 100);
    limits.stop(5);
    vi.advanceTimersByTime(1_000);
    expect(late).toEqual(["4 at 70", "2 at 100", "3 at 150", "1 at 300"]);
  });

  test("a task that has ended is not notified, and the next one's time is still watched", () => {
    const limits = new TimeLimits();
    const late: number[] = [];
    limits.start(1, 100, () => late.push(1));
    vi.advanceTimersByTime(40);
    limits.start(2, 100, () => late.push(2));
    limits.stop(1);
    vi.advanceTimersByTime(99);
    expect(late).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(late).toEqual([2]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("share one timer, and leave none after closing", () => {
    const limits = new TimeLimits();
    for (let id = 1; id <= 16; id++) {
      limits.start(id, 1_000, () => expect.unreachable("closed before"));
    }
    expect(vi.getTimerCount()).toBe(1);
    limits.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  test("a clock that steps back a day does not extend a limit by a day", () => {
    const limits = new TimeLimits();
    const late: number[] = [];
    limits.start(1, 100, () => late.push(1));
    vi.advanceTimersByTime(10);
    limits.start(2, 100, () => late.push(2));
    vi.setSystemTime(Date.now() - 86_400_000);
    vi.advanceTimersByTime(90);
    expect(late).toEqual([1]);
    vi.advanceTimersByTime(100);
    expect(late).toEqual([1, 2]);
  });
});
