/** The number of tasks that a run hands out, and when it hands them out again. */
import { env } from "cloudflare:workers";
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { afterEach, expect, it, vi } from "vitest";
import { RunStore } from "../../../durable-objects/run/state/run-store.ts";
import type { RunTasksApi } from "../../../src/contracts/runs/task.ts";
import { TASK_WORKERS } from "../../../src/contracts/runs/task-workers.ts";
import { FileRef } from "../../../src/lib/files/file-ref.ts";
import { call, newCaller, newWorkspace, operator } from "../../support/api-caller.ts";
import { publishedWorkflow } from "../../support/published-workflow.ts";
import { CODED_DEFINITION, textsInput } from "./coded-workflow.ts";
import { okOutcome, TaskRunner } from "./task-runner.ts";

const image = new FileRef({ key: "k/x.png", name: "x", contentType: "image/png", sizeBytes: 3 });

afterEach(() => {
  vi.useRealTimers();
});

async function submitOn(outstanding: number, items: number): Promise<string> {
  const code = `tasks-${outstanding}`;
  await operator("PUT", `/admin/v1/plans/${code}`, {
    limits: { max_outstanding_tasks: outstanding, requests_per_minute: 10_000 },
  });
  const caller = await newCaller({ workspaceId: await newWorkspace(code) });
  const workflow = await publishedWorkflow(caller, CODED_DEFINITION);
  const texts = Array.from({ length: items }, (_, index) => `text ${index}`);
  const submitted = await call("POST", "/api/v1/executions", {
    token: caller.token,
    json: { workflow, inputs: textsInput(texts) },
  });
  expect(submitted.status).toBe(202);
  return submitted.json.id;
}

function runStub(runId: string) {
  return env.RUN.get(env.RUN.idFromName(runId));
}

/** The number of tasks in each state, from the rows: hints are in memory only. */
function tally(runId: string): Promise<Record<string, number>> {
  return runInDurableObject(runStub(runId), (_run, state) =>
    Object.fromEntries(
      [
        ...Map.groupBy(
          new RunStore(state.storage, Date.now).blocks.storedTasks(),
          ({ status }) => status,
        ),
      ].map(([status, tasks]) => [status, tasks.length]),
    ),
  );
}

it("a run hands out no more tasks than its workspace's plan allows, and further ones as they end", async () => {
  const runId = await submitOn(12, 14);
  const runner = new TaskRunner(runId);
  // The plan's figure is divided among the Workers that run tasks, and so is the size of a chunk.
  const part = 12 / TASK_WORKERS.length;
  const first = await runner.claim();
  for (let chunk = 1; chunk < TASK_WORKERS.length; chunk++) {
    expect(await runner.claim()).toHaveLength(part);
  }
  expect([first.length, await tally(runId)]).toEqual([part, { leased: 12, ready: 2 }]);
  await runner.report(first[0]!, okOutcome({ image }));
  const next = await runner.claim();
  expect([next.length, await tally(runId)]).toEqual([1, { leased: 12, ready: 1 }]);
});

it("a run of a large plan hands out 64, in chunks of 16", async () => {
  const runId = await submitOn(10_000, 100);
  const runner = new TaskRunner(runId);
  const sizes: number[] = [];
  for (let chunk = 0; chunk < 4; chunk++) {
    sizes.push((await runner.claim()).length);
  }
  expect([sizes, await tally(runId)]).toEqual([[16, 16, 16, 16], { leased: 64, ready: 36 }]);
});

it("an unclaimed chunk keeps its number, however often its hint is sent again", async () => {
  const runId = await submitOn(24, 30);
  const part = 24 / TASK_WORKERS.length;
  const api = runStub(runId) as unknown as RunTasksApi;
  const runner = new TaskRunner(runId);
  await runner.claim();
  vi.useFakeTimers({ toFake: ["Date"] });
  for (let hint = 0; hint < 3; hint++) {
    vi.setSystemTime(Date.now() + 6_000);
    await runDurableObjectAlarm(runStub(runId));
  }
  expect(await tally(runId)).toEqual({ leased: part, ready: 30 - part });
  for (let chunk = 2; chunk <= TASK_WORKERS.length; chunk++) {
    const claim = await api.claim({ v: 1, chunk, executor: "test" });
    expect(claim?.tasks).toHaveLength(part);
  }
  const beyond = TASK_WORKERS.length + 1;
  expect(await api.claim({ v: 1, chunk: beyond, executor: "test" })).toBeNull();
});
