import { describe, expect, test } from "vitest";
import {
  GIVE_BACKS_MAX,
  giveBackDelayMs,
  givenBackTooOften,
} from "../../../src/engine/step/give-back.ts";
import { decodeTask, encodeTask, newTask } from "../../../durable-objects/run/tasks/task-entry.ts";

describe("[E30] a task that was given back", () => {
  const total = (random: number) =>
    Array.from({ length: GIVE_BACKS_MAX }, (_, i) => giveBackDelayMs(i + 1, random) ?? NaN).reduce(
      (sum, ms) => sum + ms,
    );

  test("waits longer each time, at most a minute, and never less than half of that", () => {
    expect([1, 2, 3, 8, 20].map((times) => giveBackDelayMs(times, 0))).toEqual([
      250, 500, 1_000, 30_000, 30_000,
    ]);
    expect([1, 2, 3, 8, 20].map((times) => giveBackDelayMs(times, 0.999))).toEqual([
      499, 999, 1_999, 59_970, 59_970,
    ]);
  });

  test("is retried for 7 to 14 minutes in total, longer than a deploy", () => {
    expect(total(0)).toBeGreaterThan(7 * 60_000);
    expect(total(1)).toBeLessThan(15 * 60_000);
  });

  test("cannot be given back more often than the limit", () => {
    expect(giveBackDelayMs(GIVE_BACKS_MAX, 0)).not.toBeNull();
    expect(giveBackDelayMs(GIVE_BACKS_MAX + 1, 0)).toBeNull();
    expect(givenBackTooOften("no_memory")).toMatchObject({
      code: "NO_WORKER_AVAILABLE",
      message: expect.stringContaining("had no memory"),
    });
  });

  test("keeps its count in its row, and an older row has none", () => {
    const task = { ...newTask(2, 7), status: "waiting", fence: 3, dueMs: 5, givenBack: 2 } as const;
    expect(decodeTask(JSON.parse(JSON.stringify(encodeTask({ ...task }))))).toMatchObject({
      ...task,
      storedDueMs: 5,
    });
    expect(decodeTask([2, 7, 2, 1, 3, 5, 0, "boot"])).toMatchObject({ id: task.id, givenBack: 0 });
    const old = [2, 7, 2, 1, 3, 5, 0, "boot", null, null, 41] as const;
    expect(decodeTask(old)).toMatchObject({ id: 41, givenBack: 0 });
  });
});
