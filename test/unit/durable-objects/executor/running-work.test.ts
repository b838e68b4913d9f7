import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { RunningWork } from "../../../../durable-objects/executor/running-work.ts";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

test("the memory of a task is released when it has ended, successfully or not", async () => {
  for (const settle of ["resolve", "reject"] as const) {
    const onEnd = vi.fn();
    const work = new RunningWork(onEnd);
    const { promise, ...settling } = Promise.withResolvers<void>();
    const working = work.track(promise).catch(() => undefined);
    settling[settle]();
    await working;
    expect(onEnd).not.toHaveBeenCalled();
    work.leave();
    expect(onEnd).toHaveBeenCalledTimes(1);
  }
});

test("a task that never began releases it at once", () => {
  const onEnd = vi.fn();
  new RunningWork(onEnd).leave();
  expect(onEnd).toHaveBeenCalledTimes(1);
});

test("a node that continues after its task's end keeps it until it ends, or for half a minute", async () => {
  const [ended, deaf] = [vi.fn(), vi.fn()];
  const { promise, resolve } = Promise.withResolvers<void>();
  const one = new RunningWork(ended);
  void one.track(promise);
  one.leave();
  const two = new RunningWork(deaf);
  void two.track(new Promise(() => undefined));
  two.leave();
  await vi.advanceTimersByTimeAsync(10_000);
  expect([ended, deaf].map((end) => end.mock.calls.length)).toEqual([0, 0]);
  resolve();
  await vi.advanceTimersByTimeAsync(0);
  expect(ended).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(25_000);
  expect(deaf).toHaveBeenCalledTimes(1);
  expect(ended).toHaveBeenCalledTimes(1);
});
