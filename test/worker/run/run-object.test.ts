import {
  abortAllDurableObjects,
  evictDurableObject,
  runDurableObjectAlarm,
  runInDurableObject,
} from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { PartRows } from "../../../durable-objects/run/blocks/part-rows.ts";
import type { RunObjectApi } from "../../../src/contracts/runs/run-object-api.ts";
import { changeTasks } from "../../support/change-tasks.ts";
import { newId } from "../../../src/platform/ids.ts";
import { CODES, definitionJson, drawn, report, RunFixture, UNAVAILABLE } from "./run-fixture.ts";

const ECHO = definitionJson({
  nodes: [
    { id: "in", type: "input/json_value", label: "In" },
    { id: "out", type: "output/json", label: "Out" },
  ],
  links: ["in.json > out.json"],
});

const ECHO_EACH = definitionJson({
  nodes: [
    { id: "in", type: "input/json_value", label: "In" },
    { id: "each", type: "enumerate/json" },
    { id: "out", type: "output/json", label: "Out" },
  ],
  links: ["in.json > each.json", "each.item > out.json"],
});
const TWO_ITERATIONS = { max_iterations_per_node: 2 };

describe("a run", () => {
  it("ends within its start if no node waits, and the next read shows it", async () => {
    const run = new RunFixture();
    const begun = await run.start(ECHO, { in: { a: 1 } });
    expect(begun.status).toBe("running");
    expect(await run.read()).toMatchObject({ status: "completed", progress: 100, credits_used: 0 });
  });

  it("is created once, however often its start arrives", async () => {
    const run = new RunFixture();
    await run.start(ECHO, { in: 1 });
    const again = await run.start(ECHO, { in: 2 });
    expect(again.id).toBe(run.runId);
    expect(await run.result()).toMatchObject({ result: { by_key: { out: { value: 1 } } } });
  });

  it("is created by the repeat of a start whose one write failed", async () => {
    const run = new RunFixture();
    const flush = vi.spyOn(PartRows.prototype, "flush").mockImplementationOnce(() => {
      throw new Error("database or disk is full");
    });
    await expect(run.start(ECHO, { in: 1 })).rejects.toThrow("disk is full");
    flush.mockRestore();
    await run.start(ECHO, { in: 2 });
    expect((await run.ended()).status).toBe("completed");
    await abortAllDurableObjects();
    expect((await run.read()).status).toBe("completed");
    expect(await run.result()).toMatchObject({ result: { by_key: { out: { value: 2 } } } });
  });

  it("is not shown to another workspace, and an unknown id does not exist", async () => {
    const run = new RunFixture();
    await run.start(ECHO, { in: 1 });
    const asked = { ...run.request, if_none_match: null, wait_ms: 0 };
    const stranger = { ...asked, workspace_id: newId("workspace", Date.now()) };
    for (const call of ["read", "result", "cancel"] as const) {
      expect(await run.api[call](stranger)).toMatchObject({ ok: false, code: "forbidden" });
    }
    const unknown = env.RUN.get(
      env.RUN.idFromName(newId("run", Date.now())),
    ) as unknown as RunObjectApi;
    expect(await unknown.read(asked)).toMatchObject({ ok: false, code: "not_found" });
  });

  it("stores a value too long for its row in R2, completely", async () => {
    const run = new RunFixture();
    const long = "é".repeat(50_000);
    await run.start(ECHO, { in: { long } });
    await run.ended();
    expect(await run.result()).toMatchObject({
      result: { by_key: { out: { value: { long }, items: [{ delivery: "resolved_text" }] } } },
    });
  });

  it("keeps a JSON text that is too long for its row as JSON", async () => {
    const run = new RunFixture();
    const long = "é".repeat(50_000);
    await run.start(ECHO, { in: long });
    await run.ended();
    expect(await run.result()).toMatchObject({
      result: {
        by_key: {
          out: {
            value: long,
            items: [
              {
                delivery: "resolved_text",
                parse: { status: "parsed", format: "json", strategy: "declared_json" },
              },
            ],
          },
        },
      },
    });
  });

  it("shows an output that a limit blocked as a whole as one unavailable element", async () => {
    const run = new RunFixture();
    await run.start(ECHO_EACH, { in: [1, 2, 3] }, { admission_limits: TWO_ITERATIONS });
    expect(await run.ended()).toMatchObject({
      status: "failed",
      error_code: "ITERATION_LIMIT_EXCEEDED",
    });
    expect(await run.result()).toMatchObject({
      result: {
        by_key: {
          out: {
            cardinality: "multiple",
            state: "missing",
            items: [{ delivery: "unavailable", input_indices: [] }],
          },
        },
      },
    });
  });

  it("waits for a slot, and continues after its promotion", async () => {
    const run = new RunFixture();
    expect(await run.start(ECHO, { in: 1 }, { is_held: true })).toMatchObject({
      status: "pending",
      started_at: null,
    });
    expect(await run.read()).toMatchObject({ status: "pending" });
    await run.api.promote({ v: 1 });
    expect(await run.ended()).toMatchObject({ status: "completed" });
  });
});

describe("tasks", () => {
  it("[E13] settle in any order, and later nodes receive them in index order", async () => {
    const run = new RunFixture();
    await run.start(CODES, { rows: ["a", "b", "c"] });
    const { tasks } = await run.claim();
    expect(tasks.map((task) => task.indices)).toEqual([[0], [1], [2]]);
    // Its other two ports are connected.
    expect(tasks.map((task) => task.unread_ports)).toEqual([["svg"], ["svg"], ["svg"]]);
    for (const task of tasks.toReversed()) {
      await run.api.report({ v: 1, reports: [report(task, drawn(`t${task.indices[0]}.png`))] });
    }
    expect(await run.ended()).toMatchObject({ status: "completed", credits_used: 0.06 });
    expect(await run.result()).toMatchObject({
      result: {
        by_key: {
          report: {
            value: [
              { check: { of: "t0.png" } },
              { check: { of: "t1.png" } },
              { check: { of: "t2.png" } },
            ],
          },
        },
      },
    });
  });

  it("[E20] are leased once: a second claim of the chunk receives nothing", async () => {
    const run = new RunFixture();
    await run.start(CODES, { rows: ["a"] });
    await run.claim();
    expect(await run.api.claim({ v: 1, chunk: 1, executor: "other" })).toBeNull();
  });

  it("[E20] ignore a report with a stale fence, and a repeated report", async () => {
    const run = new RunFixture();
    await run.start(CODES, { rows: ["a"] });
    const [task] = (await run.claim()).tasks;
    const stale = { task_id: task!.task_id, fence: task!.fence - 1 };
    const ignored = await run.api.report({ v: 1, reports: [report(stale, drawn("stale.png"))] });
    expect(ignored.accepted).toEqual([]);
    expect(await run.read()).toMatchObject({ status: "running" });
    const { accepted } = await run.api.report({
      v: 1,
      reports: [report(task!, drawn("a.png"))],
    });
    expect(accepted).toEqual([task!.task_id]);
    await run.api.report({ v: 1, reports: [report(task!, drawn("late.png"))] });
    expect(await run.ended()).toMatchObject({ status: "completed", credits_used: 0.02 });
    expect(await run.result()).toMatchObject({
      result: { by_key: { report: { value: [{ check: { of: "a.png" } }] } } },
    });
  });

  it("[E20] have at most four attempts after transient faults, with increasing fences", async () => {
    const run = new RunFixture();
    await run.start(CODES, { rows: ["a"] });
    const fences: number[] = [];
    for (let attempt = 1, chunk = 1; attempt <= 4; attempt++, chunk++) {
      const claim = await run.claim(chunk);
      const [task] = claim.tasks;
      fences.push(task!.fence);
      expect(task!.attempt).toBe(attempt);
      await run.api.report({ v: 1, reports: [report(task!, UNAVAILABLE)] });
    }
    expect(await run.ended()).toMatchObject({ status: "failed", error_code: "NETWORK_ERROR" });
    expect(fences).toEqual([1, 2, 3, 4]);
  });

  it("[E20] return when their worker ends with a restart, and its late report changes nothing", async () => {
    const run = new RunFixture();
    await run.start(CODES, { rows: ["a"] });
    const [lost] = (await run.claim()).tasks;
    // A lease of another boot, as a killed process leaves it.
    await changeTasks(run.stub, (task) => {
      task.boot = "an earlier boot";
    });
    await runDurableObjectAlarm(run.stub);
    const [task] = (await run.claim(2)).tasks;
    expect(task).toMatchObject({ attempt: 1, fence: lost!.fence + 1 });
    await run.api.report({ v: 1, reports: [report(lost!, drawn("dead.png"))] });
    expect(await run.read()).toMatchObject({ status: "running" });
    await run.api.report({ v: 1, reports: [report(task!, drawn("a.png"))] });
    expect(await run.ended()).toMatchObject({ status: "completed" });
  });

  it("[E19] are resumed by an object that lost its memory", async () => {
    const run = new RunFixture();
    await run.start(CODES, { rows: ["a", "b"] });
    const { tasks } = await run.claim();
    await run.api.report({ v: 1, reports: [report(tasks[0]!, drawn("a.png"))] });
    await abortAllDurableObjects();
    await run.api.report({ v: 1, reports: [report(tasks[1]!, drawn("b.png"))] });
    expect(await run.ended()).toMatchObject({ status: "completed", credits_used: 0.04 });
  });

  it("[E9] fail permanently if the value does not match the port, before anything is charged", async () => {
    const run = new RunFixture();
    await run.start(CODES, { rows: [{ not: "text" }, "b"] });
    const { tasks } = await run.claim();
    expect(tasks).toHaveLength(1);
    await run.api.report({ v: 1, reports: [report(tasks[0]!, drawn("b.png"))] });
    expect(await run.ended()).toMatchObject({
      status: "partial_success",
      error_code: "TYPE_MISMATCH",
      credits_used: 0.02,
    });
  });
});

describe("the alarm", () => {
  it("is set for every live run", async () => {
    const run = new RunFixture();
    await run.start(CODES, { rows: ["a"] });
    const [task] = (await run.claim()).tasks;
    for (let look = 0; look < 3; look++) {
      await runDurableObjectAlarm(run.stub);
      const alarm = await runInDurableObject(run.stub, (_object, state) =>
        state.storage.getAlarm(),
      );
      expect(alarm).toBeGreaterThan(Date.now() - 1);
    }
    await run.api.report({ v: 1, reports: [report(task!, drawn("a.png"))] });
    await run.ended();
  });

  it("[E22] ends a run that fails to advance, instead of trying forever", async () => {
    const run = new RunFixture();
    await run.start(ECHO, { in: 1 }, { is_held: true });
    // Rows that the service never writes represent a defect that every attempt meets again.
    await runInDurableObject(run.stub, (_object, state) => {
      state.storage.sql.exec(`UPDATE part SET v = replace(v, '["j",1]', '["j",1[')`);
    });
    await evictDurableObject(run.stub);
    await run.api.promote({ v: 1 });
    for (let attempt = 0; attempt < 12; attempt++) {
      await runDurableObjectAlarm(run.stub);
    }
    expect(await run.ended()).toMatchObject({ status: "failed", error_code: "INTERNAL_ERROR" });
  });
});
