import { expect, test } from "vitest";
import { RunStore } from "../../../../durable-objects/run/state/run-store.ts";
import { taskQuota } from "../../../../durable-objects/run/tasks/task-quota.ts";
import { TaskStore } from "../../../../durable-objects/run/tasks/task-store.ts";
import type { TaskWorker } from "../../../../src/contracts/runs/task-workers.ts";
import { SimulatedStorage } from "../../../simulation/object/simulated-storage.ts";

/** Nodes 0 and 1 run in the runner, node 2 in another Worker. */
const workerOf = (node: number) => (node === 2 ? "renderer" : "runner") as TaskWorker;

function storeWith(nodes: readonly number[]): TaskStore {
  const store = new RunStore(new SimulatedStorage().open(), () => 0);
  const tasks = new TaskStore(store);
  store.create([]);
  const state = { v: 1, status: "running", stopped: null, nodes: [], progress: 0 } as const;
  store.commit({ state, tasks: nodes.map((node, element) => ({ node, element })) });
  store.keep();
  return tasks;
}

test("a chunk has tasks of one Worker, and its hints go to that Worker, repeated ones too", () => {
  const tasks = storeWith([0, 2, 1, 2, 0]);
  const quota = taskQuota(256);
  const { chunks } = tasks.queueReady(quota, true, 0, workerOf);
  expect(chunks).toEqual([
    { chunk: 1, worker: "runner" },
    { chunk: 2, worker: "renderer" },
  ]);
  expect(tasks.queueReady(quota, true, 60_000, workerOf).chunks).toEqual(chunks);
  expect(tasks.lease(1, "boot", 60_000).map(({ node }) => node)).toEqual([0, 1, 0]);
  expect(tasks.lease(2, "boot", 60_000).map(({ node }) => node)).toEqual([2, 2]);
});
