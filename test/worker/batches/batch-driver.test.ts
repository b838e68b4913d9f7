/** What becomes of a batch between any two of its calls (docs/decisions/batch-items.md). */
import { afterEach, expect, test, vi } from "vitest";
import { BatchStore } from "../../../durable-objects/batch/batch-store.ts";
import { endOf, STAGED, withBatch, withStorage } from "./driven-batch.ts";

/** More microtasks than a turn whose calls return at once takes. */
const MOMENTS = 120;

afterEach(() => {
  vi.useRealTimers();
});

test("a call that comes at any moment of a turn is followed by a look at the batch", async () => {
  const missed: number[] = [];
  for (let moment = 0; moment < MOMENTS; moment++) {
    await withBatch(1, async ({ driver, effects }) => {
      const turn = driver.turn();
      for (let at = 0; at < moment; at++) {
        await Promise.resolve();
      }
      const before = effects.admissions;
      await driver.turn();
      await turn;
      if (effects.admissions === before) {
        missed.push(moment);
      }
    });
  }
  expect(missed).toEqual([]);
});

test("a start that was prepared for an attempt is not admitted in the next one", async () => {
  await withBatch(1, async ({ batch, driver, effects }) => {
    const end = (run: string) => batch.runsEnded([endOf(run, { status: "failed" })]);
    await driver.turn(1);
    end(batch.ledger.runOf(0));
    batch.retry(false);
    const prepare = effects.startOf.bind(effects);
    const { promise, resolve } = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    effects.startOf = async (...item) => {
      asked.resolve();
      await promise;
      return await prepare(...item);
    };
    const turn = driver.turn(1);
    await asked.promise;
    batch.cancel();
    batch.retry(false);
    resolve();
    await turn;
    await driver.turn(1);
    expect(effects.admitted.slice(1)).toEqual([batch.ledger.runOf(0)]);
    batch.runsEnded([endOf(batch.ledger.runOf(0))]);
    expect(batch.state).toMatchObject({ status: "completed", attempt: 3 });
  });
});

test("a thousand runs may end at once, with long messages and outputs", async () => {
  const text = '\u6f22"\\'.repeat(300);
  await withBatch(1_000, async ({ batch, store, driver, effects }) => {
    effects.room = 100;
    await driver.turn(100);
    const runs = batch.ledger.live.map((index) => batch.ledger.runOf(index));
    expect(runs).toHaveLength(1_000);
    for (const run of runs) {
      batch.keepOutputs(run, JSON.stringify({ entries: [{ text }], next: null }));
    }
    batch.runsEnded(
      runs.map((run) => endOf(run, { status: "partial_success", error_message: text })),
    );
    expect(batch.state.counts).toMatchObject({ completed: 1_000, partial_success: 1_000 });
    const filter = { limit: 1_000, after: -1, status: null, client_reference: null };
    const { rows } = store.items({ ...filter, with_outputs: true });
    expect(rows.filter((row) => row.error_message === text)).toHaveLength(1_000);
    expect(rows.filter((row) => row.outputs?.includes("next"))).toHaveLength(1_000);
  });
});

test("an item whose run can never be prepared fails, and keeps no other from its run", async () => {
  await withBatch(4, async ({ batch, driver, effects }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    await driver.turn(4);
    for (const index of [0, 1, 2, 3]) {
      batch.runsEnded([endOf(batch.ledger.runOf(index), { status: "failed" })]);
    }
    batch.retry(false);
    const prepare = effects.startOf.bind(effects);
    effects.startOf = async (index, run) => {
      if (index === 1) {
        throw new Error("the plan could not be compared");
      }
      return await prepare(index, run);
    };
    effects.room = 1;
    await driver.turn(4);
    expect(batch.state.counts).toMatchObject({ running: 3, pending: 1 });
    // Many looks at the batch within a short time count once.
    for (let look = 0; look < 20; look++) {
      await driver.turn(1);
    }
    for (let failures = 1; failures < 10; failures++) {
      expect(batch.state.counts).toMatchObject({ running: 3, pending: 1, failed: 0 });
      vi.setSystemTime(Date.now() + 15_000);
      await driver.turn(1);
    }
    expect(batch.state.counts).toMatchObject({ running: 3, pending: 0, failed: 1 });
    for (const index of [0, 2, 3]) {
      batch.runsEnded([endOf(batch.ledger.runOf(index))]);
    }
    expect(batch.state).toMatchObject({ status: "partial_success", attempt: 2 });
  });
});

test("an endpoint that cannot be reached keeps no item of the next attempt waiting", async () => {
  await withBatch(40, async ({ batch, driver, effects }) => {
    let isReached = false;
    let announced = 0;
    effects.announce = async () => {
      announced += 1;
      if (!isReached) {
        throw new Error("the endpoint was not reached");
      }
    };
    effects.room = 100;
    await driver.turn(100);
    await vi.waitUntil(() => batch.ledger.live.length === 40);
    const failed = batch.ledger.live.map((index) => batch.ledger.runOf(index));
    batch.runsEnded(failed.map((run) => endOf(run, { status: "failed" })));
    batch.retry(false);
    await driver.turn(100);
    await vi.waitUntil(() => effects.started.length === 80);
    expect(announced).toBeGreaterThan(0);
    expect(batch.events).toHaveLength(1);
    isReached = true;
    await driver.turn();
    expect(batch.events).toEqual([]);
  });
});

test("groups are first offered sixteen runs, and then as many at once as may wait", async () => {
  await withBatch(200, async ({ batch, driver, effects }) => {
    effects.isQuick = true;
    effects.room = 100;
    await driver.turn(100);
    await vi.waitUntil(() => batch.ledger.isTerminal);
    expect(effects.grouped.reduce((sum, runs) => sum + runs, 0)).toBe(200);
    expect(effects.grouped[0]).toBeLessThanOrEqual(16);
    expect(Math.max(...effects.sizes)).toBe(64);
    expect(effects.sizes[0]).toBe(16);
    expect(effects.started).toEqual([]);
  });
});

test("a batch that is retried again and again keeps a bounded number of its changes of status", async () => {
  await withBatch(1, async ({ batch, store, driver }) => {
    for (let attempt = 1; attempt <= 120; attempt++) {
      await driver.turn(1);
      batch.runsEnded([endOf(batch.ledger.runOf(0), { status: "failed" })]);
      batch.retry(false);
    }
    const { marks } = store.stored();
    expect(marks).toHaveLength(100);
    expect(marks.at(-1)).toMatchObject({ event: "status", status: "running", seq: batch.seq });
  });
});

test("items that are staged again from the first one leave nothing of the ones before", () =>
  withStorage((storage) => {
    const store = new BatchStore(storage);
    const withText = (chars: number) => {
      const inputs = [{ node_id: "in", value_json: JSON.stringify("x".repeat(chars)) }];
      return { ...STAGED, input_json: JSON.stringify({ inputs }) };
    };
    store.stage(0, [withText(1_700_000), STAGED]);
    store.stage(2, [STAGED]);
    store.stage(0, [withText(700_000)]);
    expect(store.stagedCount).toBe(1);
    expect(store.inputs.get(0).inputs[0]?.value_json).toHaveLength(700_002);
  }));

test("items that cannot be staged leave the object as it was", () =>
  withStorage((storage) => {
    const store = new BatchStore(storage);
    expect(() => {
      store.stage(0, [{ ...STAGED, worst_milli_credits: null as never }]);
    }).toThrow("NOT NULL");
    expect(store.stagedCount).toBe(0);
    store.stage(0, [STAGED]);
    expect(store.stagedCount).toBe(1);
  }));
