import { runDurableObjectAlarm } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { unwrap } from "../../../src/lib/result.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { WorkspaceFixture } from "../workspace/workspace-fixture.ts";
import { CODES, drawn, report, RunFixture, UNAVAILABLE } from "./run-fixture.ts";

const rows = (n: number) => ({ rows: Array.from({ length: n }, (_, i) => `row ${String(i)}`) });

async function started(n: number, more: Parameters<RunFixture["start"]>[2] = {}) {
  const run = new RunFixture();
  await run.start(CODES, rows(n), more);
  const { tasks } = await run.claim();
  return { run, tasks };
}

const cancel = async (run: RunFixture) => unwrap(await run.api.cancel(run.request));
const held = (run: RunFixture) =>
  new WorkspaceFixture(run.workspaceId).api
    .balance(null)
    .then((balance) => balance.reserved_milli_credits);

describe("a cancel", () => {
  it("is acknowledged as cancelling, also when repeated, and hands out no task after that", async () => {
    const { run } = await started(40);
    expect((await cancel(run)).status).toBe("cancelling");
    expect((await cancel(run)).status).toBe("cancelling");
    for (let chunk = 1; chunk < 6; chunk++) {
      expect(await run.api.claim({ v: 1, chunk, executor: "other" })).toBeNull();
    }
  });

  it("reaches the executor through the delayed heartbeat", async () => {
    const { run, tasks } = await started(2);
    const beat = run.api.heartbeat({ v: 1, tasks, wait_ms: 8_000 });
    const begunAt = Date.now();
    await cancel(run);
    expect(await beat).toEqual({ cancel: true, lost: [] });
    // Well before the 8 s of its wait.
    expect(Date.now() - begunAt).toBeLessThan(7_000);
  });

  it("[E24] releases at once what is neither charged nor leased, and charges later reports", async () => {
    const { run, tasks } = await started(40);
    expect(tasks.length).toBeLessThan(40);
    const [first, second, ...others] = tasks;
    await run.api.report({ v: 1, reports: [report(first!, drawn("a.png"))] });
    await waitUntil("the charge", async () => (await run.read()).credits_used === 0.02);
    expect(await held(run)).toBe(800);
    await cancel(run);
    // One task is charged and not settled yet, the others of the chunk are leased.
    await waitUntil("the refund", async () => (await held(run)) === 20 * tasks.length);
    const failed = { ...UNAVAILABLE, code: "CANCELLED", retryable: false } as const;
    await run.api.report({
      v: 1,
      reports: [report(second!, drawn("b.png")), ...others.map((task) => report(task, failed))],
    });
    expect(await run.ended()).toMatchObject({ status: "cancelled", credits_used: 0.04 });
    await waitUntil("the close", async () => (await held(run)) === 0);
  });

  it("does not wait for the whole lease of a lost worker, nor charge later reports", async () => {
    const { run, tasks } = await started(1);
    await cancel(run);
    expect((await run.read()).status).toBe("cancelling");
    await waitUntil("the grace to pass", async () => {
      await runDurableObjectAlarm(run.stub);
      return (await run.read()).status === "cancelled";
    });
    await run.api.report({ v: 1, reports: [report(tasks[0]!, drawn("late.png"))] });
    expect(await run.read()).toMatchObject({ status: "cancelled", credits_used: 0 });
  });

  it("of a run that waits for a slot ends it", async () => {
    const run = new RunFixture();
    await run.start(CODES, rows(1), { is_held: true });
    expect((await cancel(run)).status).toBe("cancelling");
    expect(await run.ended()).toMatchObject({ status: "cancelled" });
    await run.api.promote({ v: 1 });
    expect((await run.read()).status).toBe("cancelled");
    expect(await run.api.cancel(run.request)).toMatchObject({ code: "already_terminal" });
  });
});

describe("a run's time limit", () => {
  it("[E23] ends it with RUN_TIMEOUT, notifies its executors, and keeps and charges finished work", async () => {
    const { run, tasks } = await started(2, { time_limit_ms: 1_500 });
    await run.api.report({ v: 1, reports: [report(tasks[0]!, drawn("a.png"))] });
    const response = await run.api.heartbeat({ v: 1, tasks: [tasks[1]!], wait_ms: 8_000 });
    expect(response.cancel).toBe(true);
    expect((await run.read()).status).toBe("running");
    const failed = { ...UNAVAILABLE, code: "CANCELLED", retryable: false } as const;
    await run.api.report({ v: 1, reports: [report(tasks[1]!, failed)] });
    expect(await run.ended()).toMatchObject({
      error_code: "RUN_TIMEOUT",
      error_message: expect.stringContaining("limit of 2 s"),
      credits_used: 0.02,
    });
    expect(await held(run)).toBe(0);
  });

  it("[E23] does not count while it waits for a slot, and does not affect a run that ends in time", async () => {
    const run = new RunFixture();
    await run.start(CODES, rows(0), { is_held: true, time_limit_ms: 50 });
    await new Promise((resolve) => setTimeout(resolve, 120));
    await runDurableObjectAlarm(run.stub);
    expect((await run.read()).status).toBe("pending");
    await run.api.promote({ v: 1 });
    expect((await run.ended()).status).toBe("completed");
  });
});
