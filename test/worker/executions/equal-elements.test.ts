/** docs/contract/cache.md#equal-elements: equal elements of one run, on the run's real object. */
import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import type { LeasedTask } from "../../../src/contracts/runs/task.ts";
import { call } from "../../support/api-caller.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { image, RetryCaller } from "./retry-caller.ts";
import { failedOutcome, okOutcome, TaskRunner } from "./task-runner.ts";

const caller = await RetryCaller.make();
const ROWS = Array.from({ length: 40 }, (_, at) => `text ${at % 4}`);

function submit(texts: readonly string[], mode = "read"): Promise<string> {
  const rows = { value: JSON.stringify(texts) };
  return caller.submitted({ workflow: caller.codes, inputs: { rows }, cache: { mode } });
}

/** The next tasks, until there are as many. */
async function claimed(runner: TaskRunner, count: number): Promise<LeasedTask[]> {
  const tasks: LeasedTask[] = [];
  while (tasks.length < count) {
    tasks.push(...(await runner.claim()));
  }
  return tasks;
}

async function finish(runner: TaskRunner, task: LeasedTask): Promise<void> {
  await env.FILES.put(`${task.file_prefix}code.png`, "png");
  const row = task.indices[0] ?? -1;
  await runner.report(task, okOutcome({ image: image("code.png"), check: { row } }));
}

const places = (tasks: readonly LeasedTask[]) =>
  tasks.map(({ indices }) => indices[0] ?? -1).toSorted((a, b) => a - b);

interface Iteration {
  readonly credits: number;
  readonly reused: object | null;
}

async function iterationsOf(id: string): Promise<readonly Iteration[]> {
  return (await caller.get(`${id}/trace/nodes/codes/iterations?page_size=100`)).json.data;
}

describe("equal elements of a run with cache", () => {
  test("are one task, and the others have its result at no cost, marked with their own run", async () => {
    const id = await submit(ROWS);
    const runner = new TaskRunner(id);
    const tasks = await claimed(runner, 4);
    expect(places(tasks)).toEqual([0, 1, 2, 3]);
    for (const task of tasks) {
      await finish(runner, task);
    }
    const run = await caller.ended(id);
    expect(run).toMatchObject({
      status: "completed",
      credits_used: 0.08,
      reused_iterations: 36,
      outputs_total: 40,
    });
    const [first, other, ...rest] = (await iterationsOf(id)).slice(3);
    expect(first).toMatchObject({ reused: null, attempt_count: 1, credits: 0.02 });
    const mark = {
      reused: { by: "cache", execution: id },
      attempt_count: 0,
      retry_count: 0,
      credits: 0,
      duration_ms: null,
    };
    expect(other).toMatchObject(mark);
    expect(rest).toMatchObject(rest.map(() => mark));
    const { json: trace } = await caller.get(`${id}/trace`);
    expect(trace.totals).toMatchObject({ credits: 0.08, credits_saved: 0.72 });
    // The worst case was reserved, and what the others did not use is free again.
    const ofRun = (kind: string) =>
      waitUntil(kind, async () => {
        const entries = (await caller.ledger()).filter(
          (one) => one.run === id && one.kind === kind,
        );
        return entries[0]?.milli_credits;
      });
    expect([await ofRun("reserve"), await ofRun("release")].map(Math.abs)).toEqual([800, 720]);
    const statuses = await Promise.all(
      run.outputs.map(async ({ url }: { url: string }) => {
        const { pathname, search } = new URL(url);
        return (await call("GET", `${pathname}${search}`)).status;
      }),
    );
    expect(statuses).toEqual(ROWS.map(() => 200));
  });

  test("are all worked out in a run without cache", async () => {
    const id = await submit(ROWS, "off");
    expect(await claimed(new TaskRunner(id), 40)).toHaveLength(40);
  });

  test("are each worked out once the first has failed, and not before", async () => {
    const id = await submit(["a", "a", "a", "b"]);
    const runner = new TaskRunner(id);
    const [first, other] = await claimed(runner, 2);
    expect(places([first!, other!])).toEqual([0, 3]);
    await runner.report(first!, failedOutcome("INVALID_INPUT", "no"));
    const rest = await claimed(runner, 2);
    expect(places(rest)).toEqual([1, 2]);
    for (const task of [...rest, other!]) {
      await finish(runner, task);
    }
    expect(await caller.ended(id)).toMatchObject({
      status: "partial_success",
      credits_used: 0.06,
      reused_iterations: 0,
    });
  });

  test("wait for a first one that is tried again", async () => {
    const id = await submit(["a", "a"]);
    const runner = new TaskRunner(id);
    const [first] = await claimed(runner, 1);
    await runner.report(first!, failedOutcome("PROVIDER_UNAVAILABLE", "later", true));
    const [again] = await claimed(runner, 1);
    expect(again).toMatchObject({ task_id: first!.task_id, attempt: 2 });
    await finish(runner, again!);
    expect(await caller.ended(id)).toMatchObject({ status: "completed", credits_used: 0.02 });
  });

  test("still wait when the object and the worker of the first one are lost, and still take its result", async () => {
    const id = await submit(["a", "a", "b", "a", "b"]);
    const runner = new TaskRunner(id);
    const [first, other] = await claimed(runner, 2);
    await evictDurableObject(env.RUN.get(env.RUN.idFromName(id)));
    // Its worker has survived.
    await finish(runner, first!);
    await evictDurableObject(env.RUN.get(env.RUN.idFromName(id)));
    expect(places([other!])).toEqual([2]);
    await finish(runner, other!);
    expect(await caller.ended(id)).toMatchObject({
      status: "completed",
      credits_used: 0.04,
      reused_iterations: 3,
    });
  });

  test("are dropped by a cancel, at once and unpaid", async () => {
    const id = await submit(ROWS);
    const tasks = await claimed(new TaskRunner(id), 4);
    expect(tasks).toHaveLength(4);
    const { status } = await call("POST", `/api/v1/executions/${id}/cancel`, {
      token: caller.caller.token,
    });
    expect(status).toBe(200);
    const runner = new TaskRunner(id);
    for (const task of tasks) {
      await runner.report(task, failedOutcome("CANCELLED", "cancelled"));
    }
    const run = await caller.ended(id);
    expect([run.status, run.credits_used ?? 0, run.reused_iterations]).toEqual(["cancelled", 0, 0]);
  });
});
