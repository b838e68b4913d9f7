import { expect, test } from "vitest";
import * as z from "zod";
import type { ChunkRun } from "../../../../durable-objects/executor/leased-chunk.ts";
import { runChunk } from "../../../../durable-objects/executor/run-chunk.ts";
import type { TaskScope } from "../../../../durable-objects/executor/executor-parts.ts";
import { ClaimMemory } from "../../../../durable-objects/executor/claim-memory.ts";
import { TaskSlots } from "../../../../durable-objects/executor/task-slots.ts";
import { TaskQueue } from "../../../../durable-objects/executor/task-queue.ts";
import type { CacheWrite } from "../../../../src/contracts/runs/result-cache.ts";
import type {
  Claim,
  NodeTasksMessage,
  ReportResponse,
  TaskReport,
} from "../../../../src/contracts/runs/task.ts";
import { MemoryBudget } from "../../../../src/lib/memory/memory-budget.ts";
import { MemoryGate } from "../../../../src/lib/memory/memory-gate.ts";
import { defineNode } from "../../../../src/nodes/define-node.ts";
import { createLogger } from "../../../../src/platform/logger.ts";

const BYTES = 1_000;

const LARGE = defineNode({
  type: "test/large",
  version: "1.0",
  name: "Large",
  description: "Takes all memory.",
  whenToUse: "In tests.",
  status: "stable",
  icon: "box",
  color: "#000000",
  inputs: [],
  outputs: [],
  params: z.strictObject({}),
  role: "transform",
  placement: "task",
  memoryBytes: BYTES,
  run: () => {
    throw new Error("It has no memory and must not run.");
  },
});

const CLAIM: Claim = {
  run_id: "run",
  workspace_id: "ws",
  correlation_id: "c",
  lease_ms: 10_000,
  heartbeat_ms: 50,
  tasks: [
    {
      task_id: 7,
      fence: 1,
      attempt: 1,
      key: "key",
      node_id: "large",
      node_type: LARGE.type,
      params_json: "{}",
      inputs: [],
      time_limit_ms: 10_000,
      file_prefix: "ws/",
      indices: [],
    },
  ],
};

/** A chunk with one task that gets no memory, until it ends; with the replies to its heartbeats. */
async function waitingChunk(response: {
  readonly cancel: boolean;
  readonly lost: readonly number[];
}) {
  const budget = new MemoryBudget(BYTES);
  const others = new MemoryGate(budget);
  const held = await others.take(BYTES);
  const reports: TaskReport[] = [];
  const on = {
    env: {},
    parts: { findNode: () => LARGE, hasTools: () => true },
    slots: new TaskSlots(new MemoryGate(budget)),
    claims: new ClaimMemory(new MemoryGate(new MemoryBudget(1024 * 1024))),
    queue: new TaskQueue(),
    keepLeases: () => undefined,
    executor: "e",
    log: createLogger({}),
    run: {
      claim: () => Promise.resolve(CLAIM),
      heartbeat: () => Promise.resolve(response),
      report: ({ reports: some }: { readonly reports: readonly TaskReport[] }) => {
        reports.push(...some);
        return Promise.resolve({ cancel: false });
      },
    },
  };
  await runChunk(on as unknown as ChunkRun, {} as NodeTasksMessage);
  expect([budget.takenBytes, budget.isContended]).toEqual([BYTES, false]);
  held.release();
  return reports;
}

test("a task that waits for memory reports a cancellation at once", async () => {
  const reports = await waitingChunk({ cancel: true, lost: [] });
  expect(reports).toMatchObject([{ task_id: 7, outcome: { kind: "failed", code: "CANCELLED" } }]);
});

test("a task whose lease is lost while it waits for memory ends without a report", async () => {
  expect(await waitingChunk({ cancel: false, lost: [7] })).toEqual([]);
});

const QUICK = defineNode({
  ...LARGE,
  type: "test/quick",
  outputs: [],
  memoryBytes: 0,
  run: () => Promise.resolve(new Map()),
});

/**
 * Runs a task that keeps its result, of a node whose id is a name that all objects have, and which may read something at an
 * address; returns what was kept, and its report.
 */
async function keptBy(accepted: ReportResponse["accepted"], fetches = false) {
  const written: CacheWrite[] = [];
  const reports: TaskReport[] = [];
  const [task] = CLAIM.tasks;
  const node = { definition: "d", writes: true, max_age: null, milli_credits: 1 };
  const claim: Claim = {
    ...CLAIM,
    tasks: [{ ...task!, node_id: "toString", node_type: QUICK.type }],
    references: {},
    cache: {
      workflow: "wf",
      bounds: { ttl: 60, max_bytes: 1_000, quota_bytes: null },
      nodes: { toString: node },
    },
  };
  const stub = {
    lookUp: () => Promise.resolve([null]),
    write: (request: CacheWrite) => Promise.resolve(void written.push(request)),
  };
  const on = {
    env: { FILES: {}, CACHE: { idFromName: (name: string) => name, get: () => stub } },
    parts: {
      findNode: () => QUICK,
      hasTools: () => true,
      createContext: (_env: object, { task: call }: TaskScope) => {
        if (fetches) {
          call.noteFetched();
        }
        return {};
      },
    },
    slots: new TaskSlots(new MemoryGate(new MemoryBudget(1024 ** 3))),
    claims: new ClaimMemory(new MemoryGate(new MemoryBudget(1024 * 1024))),
    queue: { next: () => Promise.resolve() },
    keepLeases: () => undefined,
    executor: "e",
    log: createLogger({}),
    run: {
      claim: () => Promise.resolve(claim),
      heartbeat: () => Promise.resolve({ cancel: false, lost: [] }),
      report: ({ reports: some }: { readonly reports: readonly TaskReport[] }) => {
        reports.push(...some);
        return Promise.resolve({ cancel: false, accepted });
      },
    },
  };
  await runChunk(on as unknown as ChunkRun, {} as NodeTasksMessage);
  expect(reports).toMatchObject([{ task_id: 7, outcome: { kind: "ok" } }]);
  return { kept: written.flatMap(({ entries }) => entries), reports };
}

test("a result is kept in the cache if the run says that it counts, and else not", async () => {
  const { kept } = await keptBy([7]);
  expect(kept).toMatchObject([{ node_type: QUICK.type, execution: "run" }]);
  for (const accepted of [[], undefined, true] as const) {
    expect((await keptBy(accepted)).kept).toEqual([]);
  }
});

test("[E45] a report says that its result depends on what it received alone, unless the task has read something at an address: then it is not kept either", async () => {
  expect((await keptBy([7])).reports[0]?.is_pure).toBe(true);
  const { kept, reports } = await keptBy([7], true);
  expect([kept, reports[0]?.is_pure]).toEqual([[], undefined]);
});

test("a chunk without room for its inputs is left to its run", async () => {
  const budget = new MemoryBudget(BYTES);
  const others = await new MemoryGate(budget).take(BYTES);
  const logged: string[] = [];
  let claims = 0;
  await runChunk(
    {
      claims: new ClaimMemory(new MemoryGate(budget), 1),
      log: { error: (event: string) => logged.push(event) },
      run: { claim: () => Promise.resolve(claims++) },
    } as unknown as ChunkRun,
    { run_id: "run", chunk: 1 } as NodeTasksMessage,
  );
  expect([logged, claims]).toEqual([["claim.no_memory"], 0]);
  others.release();
});
