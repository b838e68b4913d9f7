import { describe, expect, test } from "vitest";
import {
  slotOf,
  taskQuota,
  tasksToQueue,
} from "../../../../durable-objects/run/tasks/task-quota.ts";
import { TASK_WORKERS } from "../../../../src/contracts/runs/task-workers.ts";
import { newId } from "../../../../src/platform/ids.ts";

describe("a workspace's quota in the runner", () => {
  test("never adds up to more than its plan's limit, and to nearly all of it", () => {
    const workers = TASK_WORKERS.length;
    for (let outstanding = 1; outstanding <= 2_000; outstanding++) {
      const { slots, slotTasks, chunkTasks, runTasks } = taskQuota(outstanding);
      // Each Worker may run a task at least, whatever the plan (docs/decisions/tasks-and-fairness.md); one run may not.
      expect(runTasks).toBeLessThanOrEqual(outstanding);
      const all = slots * slotTasks * workers;
      expect(all).toBeLessThanOrEqual(Math.max(outstanding, workers));
      expect(all).toBeGreaterThan(outstanding - 4 * workers);
      expect(chunkTasks).toBeLessThanOrEqual(slotTasks);
      expect(runTasks).toBeLessThanOrEqual(64);
      expect(Math.min(chunkTasks, runTasks)).toBeGreaterThan(0);
    }
    const alone = { runTasks: 64, chunkTasks: 16, slots: 4, slotTasks: 64 };
    expect(taskQuota(256, 1)).toEqual(alone);
    expect(taskQuota()).toEqual(taskQuota(256));
    // Executor objects of another Worker do not know these: the limit is divided among all.
    expect(taskQuota(256, 2).slotTasks).toBe(32);
  });

  test("is divided among its executor objects, for many runs of one chunk as for one run of many", () => {
    const counts = [0, 0, 0, 0];
    for (let run = 0; run < 4_000; run++) {
      counts[slotOf(newId("run", 1_700_000_000_000), 1, 4)]! += 1;
    }
    for (const count of counts) {
      expect(count).toBeGreaterThan(800);
    }
    const runId = newId("run", 1_700_000_000_000);
    expect(new Set([1, 2, 3, 4].map((chunk) => slotOf(runId, chunk, 4))).size).toBe(4);
    expect(slotOf("no hex", 5, 4)).toBe(1);
  });
});

test("a fan-out is started in whole chunks, with a remainder or late tasks as a smaller one", () => {
  const quota = taskQuota(256);
  // 64 tasks of a run at once, 16 in a chunk.
  expect(tasksToQueue(quota, 65, 0, false)).toBe(64);
  expect(tasksToQueue(quota, 65, 49, false)).toBe(0);
  expect(tasksToQueue(quota, 65, 48, false)).toBe(16);
  expect(tasksToQueue(quota, 65, 30, false)).toBe(32);
  expect(tasksToQueue(quota, 65, 49, true)).toBe(15);
  expect(tasksToQueue(quota, 15, 49, false)).toBe(15);
  expect(tasksToQueue(quota, 1, 0, false)).toBe(1);
  expect(tasksToQueue(quota, 65, 64, true)).toBe(0);
});

test("room for less than a chunk never waits forever: with no tasks started, a chunk fits", () => {
  for (const outstanding of [1, 2, 7, 16, 40, 64, 256]) {
    const quota = taskQuota(outstanding);
    expect(tasksToQueue(quota, 65, 0, false)).toBeGreaterThan(0);
  }
});
