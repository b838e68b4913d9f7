import { runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { WorkspaceFixture } from "./workspace-fixture.ts";

async function funded(monthly = 1000) {
  const workspace = await new WorkspaceFixture().publish();
  await workspace.api.balance(monthly);
  const reserve = (runId: string, seq: number, milli: number) =>
    workspace.api.reserve({ v: 1, run_id: runId, seq, node_id: "n", milli_credits: milli });
  const settle = (runId: string, cumulative: number) =>
    workspace.api.settle({ v: 1, run_id: runId, seq: 0, cumulative_milli_credits: cumulative });
  const left = async () => (await workspace.api.balance(null)).balance_milli_credits;
  return { workspace, reserve, settle, left };
}

describe("the ledger", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it("holds, spends and releases, and repeats change nothing", async () => {
    const { workspace, reserve, settle, left } = await funded();
    const run = await workspace.run();
    for (let repeat = 0; repeat < 2; repeat++) {
      expect(await reserve(run, 1, 600)).toEqual({ kind: "reserved" });
      expect(await left()).toBe(400);
    }
    await settle(run, 250);
    await settle(run, 250);
    await settle(run, 100);
    expect((await workspace.api.balance(null)).reserved_milli_credits).toBe(350);
    await workspace.api.release({ v: 1, run_id: run, seq: 1, milli_credits: 50 });
    await workspace.api.release({ v: 1, run_id: run, seq: 1, milli_credits: 50 });
    expect(await left()).toBe(450);
    await workspace.close(run, 300);
    await workspace.close(run, 600);
    expect(await left()).toBe(700);
    expect((await workspace.list()).rows[0]!.credits_used_milli).toBe(300);
  });

  it("refuses an amount above the balance, and returns the same after a top-up", async () => {
    const { workspace, reserve, left } = await funded(100);
    const run = await workspace.run({ monthly_milli_credits: 100 });
    const refused = { kind: "insufficient_credits", balance_milli_credits: 100 };
    expect(await reserve(run, 1, 101)).toEqual(refused);
    await workspace.api.grant({ v: 1, idempotency_key: "g", milli_credits: 500 });
    expect(await reserve(run, 1, 101)).toEqual(refused);
    expect(await reserve(run, 2, 600)).toEqual({ kind: "reserved" });
    expect(await left()).toBe(0);
  });

  it("never charges a run more than its reservation, nor anything once it has ended", async () => {
    const { workspace, reserve, settle, left } = await funded();
    const run = await workspace.run();
    await reserve(run, 1, 100);
    await workspace.close(run, 5000);
    expect(await left()).toBe(900);
    await settle(run, 5000);
    expect((await reserve(run, 2, 1)).kind).toBe("insufficient_credits");
    expect(await left()).toBe(900);
  });

  it("grants once for each key", async () => {
    const { workspace, left } = await funded(0);
    for (const key of ["a", "a", "b"]) {
      await workspace.api.grant({ v: 1, idempotency_key: key, milli_credits: 10 });
    }
    expect(await left()).toBe(20);
  });

  it("renews the monthly grant, lets its rest expire, and keeps operator grants", async () => {
    const { workspace, reserve, left } = await funded(1000);
    const run = await workspace.run();
    await workspace.api.grant({ v: 1, idempotency_key: "g", milli_credits: 300 });
    await reserve(run, 1, 1100);
    expect(await left()).toBe(200);
    vi.useFakeTimers({ now: Date.now() + 32 * 24 * 3_600_000, toFake: ["Date"] });
    expect(await left()).toBe(1200);
    // The 100 came from the grant and return to it; the 1000 belonged to a month that has ended.
    await workspace.close(run, 0);
    expect(await left()).toBe(1300);
    vi.useFakeTimers({ now: Date.now() - 90 * 24 * 3_600_000, toFake: ["Date"] });
    expect(await left()).toBe(1300);
  });

  it("lists entries that sum to the balance, newest first", async () => {
    const { workspace, reserve } = await funded();
    const run = await workspace.run();
    await reserve(run, 1, 600);
    await workspace.close(run, 200);
    const page = await workspace.api.listLedger(2, null);
    expect(page).toMatchObject({ ok: true, value: { has_more: true, total_count: 4 } });
    const entries = page.ok ? page.value.entries : [];
    expect(
      entries.map(({ kind, milli_credits, balance_after }) => [kind, milli_credits, balance_after]),
    ).toEqual([
      ["release", 400, 800],
      ["settle", 200, 400],
    ]);
    const rest = await workspace.api.listLedger(2, entries.at(-1)!.id);
    expect(rest.ok && rest.value.entries.map(({ kind }) => kind)).toEqual(["reserve", "grant"]);
    expect(await workspace.api.listLedger(2, "x")).toMatchObject({ ok: false });
  });

  it("refuses a submit whose known liability exceeds the balance, depending on its key", async () => {
    const { workspace } = await funded(1000);
    const liability = { exact_liability_milli_credits: 1001 };
    expect(await workspace.admit(liability)).toEqual({
      kind: "insufficient_credits",
      run_id: null,
      balance_milli_credits: 1000,
    });
    expect((await workspace.list()).total_count).toBe(0);
    const idempotency = { key: "POST /api/v1/executions 12345678", fingerprint: "f" };
    const outcome = await workspace.admit({ ...liability, idempotency });
    expect(outcome).toMatchObject({ kind: "insufficient_credits", run_id: expect.any(String) });
    await workspace.api.grant({ v: 1, idempotency_key: "g", milli_credits: 9000 });
    expect(await workspace.admit({ ...liability, idempotency })).toMatchObject({
      kind: "replayed",
      status_code: 402,
    });
    const { rows } = await workspace.list();
    expect(rows).toMatchObject([{ status: "failed", error_code: "insufficient_credits" }]);
    expect(await workspace.api.countLiveRuns(null)).toBe(0);
    expect((await workspace.admit(liability)).kind).toBe("admitted");
  });

  it("conserves every milli-credit over random duplicated, late and lost calls", async () => {
    const { workspace, reserve, settle } = await funded(5000);
    let seed = 20261120;
    const random = (below: number) => {
      seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
      return Math.floor((seed / 2 ** 32) * below);
    };
    const runs = await Promise.all(Array.from({ length: 8 }, () => workspace.run()));
    let granted = 5000;
    for (let step = 0; step < 600; step++) {
      const run = runs[random(runs.length)]!;
      const amount = random(900);
      switch (random(6)) {
        case 0:
        case 1:
          await reserve(run, random(5), amount);
          break;
        case 2:
          await settle(run, amount);
          break;
        case 3:
          await workspace.api.release({ v: 1, run_id: run, seq: random(9), milli_credits: amount });
          break;
        case 4:
          if (random(4) === 0) {
            await workspace.close(run, amount);
            runs[runs.indexOf(run)] = random(3) === 0 ? run : await workspace.run();
          }
          break;
        default:
          if (random(10) === 0) {
            await workspace.api.grant({
              v: 1,
              idempotency_key: `g${String(step)}`,
              milli_credits: amount,
            });
            granted += amount;
          }
      }
      const now = await workspace.api.balance(null);
      const { balance_milli_credits: left, reserved_milli_credits: held } = now;
      expect(Math.min(left, held)).toBeGreaterThanOrEqual(0);
      expect(left + held + now.spent_this_month_milli_credits).toBe(granted);
    }
    const sum = await runInDurableObject(
      workspace.stub,
      (_object, state) =>
        state.storage.sql
          .exec<{ n: number }>(
            "SELECT sum(CASE kind WHEN 'reserve' THEN -milli WHEN 'settle' THEN 0 ELSE milli END) AS n FROM ledger",
          )
          .one().n,
    );
    expect(sum).toBe((await workspace.api.balance(null)).balance_milli_credits);
  });
});
