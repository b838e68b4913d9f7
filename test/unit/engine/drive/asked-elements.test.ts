import { describe, expect, test, vi } from "vitest";
import type {
  CacheAnswer,
  CacheEntry,
  WantedEntry,
} from "../../../../src/contracts/runs/result-cache.ts";
import type { AskedElements, LookUps } from "../../../../src/engine/drive/asked-elements.ts";
import { type SettleDriver, takeAnswers } from "../../../../src/engine/drive/settle-tasks.ts";
import type { RunState } from "../../../../src/engine/step/run-state.ts";
import { readOutputs } from "../../../../src/engine/values/cell-outputs.ts";
import { encodeValue, isSpilled } from "../../../../src/engine/values.ts";
import { FileRef } from "../../../../src/lib/files/file-ref.ts";
import type { JsonValue } from "../../../../src/lib/json/exact-json.ts";
import { MemoryBudget } from "../../../../src/lib/memory/memory-budget.ts";
import { MemoryGate } from "../../../../src/lib/memory/memory-gate.ts";
import { defineGraph } from "../../../simulation/define-graph.ts";
import { plainOutcome } from "../../../simulation/plain-outcome.ts";
import {
  type EngineOutcome,
  type EngineRequest,
  runEngine,
} from "../../../simulation/run-engine.ts";
import { findSimulatedNode } from "../../../simulation/simulate-seed.ts";

const RUN = "run_that_asks";
const MAKER = "run_that_made";
const SURE = { refuse_percent: 0, fault_percent: 0 };
const EQUALS = {
  execution: RUN,
  uses: ({ type }: { readonly type: { readonly type: string } }) => type.type.startsWith("fake/"),
};
const NODES = [
  ["rows", "input/json"],
  ["work", "fake/task", SURE],
  ["out", "output/json"],
] as const;
const LINKS = ["rows.item > work.value", "work.out > out.json"] as const;

/** A result cache in memory, which has what is put into it by its key. */
class FakeCache {
  readonly entries = new Map<string, CacheEntry>();
  readonly pages: (readonly WantedEntry[])[] = [];
  readonly asked: string[] = [];

  lookUps(
    answer: (want: WantedEntry, at: number) => CacheAnswer = ({ key }) =>
      this.entries.get(key) ?? null,
    workspaceId = "ws",
  ): LookUps {
    return {
      workspaceId,
      use: (node) => (EQUALS.uses(node) ? { writes: true, maxAge: 60 } : undefined),
      lookUp: async (wanted) => {
        this.pages.push(wanted);
        this.asked.push(...wanted.map(({ key }) => key));
        await Promise.resolve();
        return wanted.map(answer);
      },
    };
  }
}

function run(
  rows: readonly JsonValue[],
  more: Partial<EngineRequest>,
  nodes: Parameters<typeof defineGraph>[0] = NODES,
  links: Parameters<typeof defineGraph>[1] = LINKS,
): Promise<EngineOutcome> {
  return runEngine({
    definition: defineGraph(nodes, links),
    findNodeType: findSimulatedNode,
    inputs: new Map([["rows", rows]]),
    ...more,
  });
}

function cellsOf({ plan, rows }: EngineOutcome, id: string) {
  return rows.cellsOf(plan.nodes.findIndex((node) => node.id === id));
}

function workedOn({ plan, executed }: EngineOutcome, id: string): number[] {
  const index = plan.nodes.findIndex((node) => node.id === id);
  const elements = executed.filter(({ node }) => node === index).map(({ element }) => element);
  return [...new Set(elements)].toSorted((a, b) => a - b);
}

/** A cache that has the results of these rows, as a run that found nothing has made them. */
async function filled(rows: readonly JsonValue[], id = "work"): Promise<FakeCache> {
  const cache = new FakeCache();
  const first = await run(rows, { lookUps: cache.lookUps() });
  const cells = cellsOf(first, id);
  expect(cache.asked).toHaveLength(cells.length);
  for (const [at, key] of cache.asked.entries()) {
    cache.entries.set(
      key,
      entryOf(key, cells[at]?.body ?? "", cells[at]?.charge?.milliCredits ?? 0),
    );
  }
  cache.pages.splice(0);
  cache.asked.splice(0);
  return cache;
}

function entryOf(key: string, body: string, milli: number): CacheEntry {
  return {
    key,
    node_type: "fake/task",
    workflow: "wf",
    execution: MAKER,
    outputs: [...readOutputs(body)].map(([port, value]) => ({
      port,
      value: isSpilled(value) || value instanceof FileRef ? "" : encodeValue(value),
    })),
    unread_ports: [],
    digest: `made ${key.slice(0, 4)}`,
    milli_credits: milli,
    objects: [],
    bytes: 1,
  };
}

/** Rows that no worker refuses or gives back for good. */
async function goodRows(count: number): Promise<{ readonly of: number }[]> {
  const rows = Array.from({ length: count * 2 }, (_, at) => ({ of: at }));
  const cells = cellsOf(await run(rows, {}), "work");
  return rows.filter((_row, at) => cells[at]?.status === "ok").slice(0, count);
}

const ROWS = await goodRows(1_200);
/** Elements of several large pages. */
const ALL = Array.from({ length: 6_500 }, (_, at) => at);

const results = (outcome: EngineOutcome) => {
  const { outputs, status, error, warnings } = plainOutcome(outcome);
  return { outputs, status, error, warnings };
};

describe("[E47] elements that are looked up", () => {
  test("are found without a task, many at a time, and have the result and the marks of the run that did the work", async () => {
    const cache = await filled(ROWS);
    const outcome = await run(ROWS, { lookUps: cache.lookUps() });
    expect(outcome.executed).toEqual([]);
    expect(results(outcome)).toEqual(results(await run(ROWS, {})));
    expect(cache.asked).toHaveLength(ROWS.length);
    expect(cache.pages.length).toBeLessThanOrEqual(4);
    expect(cache.pages[0]?.[0]).toMatchObject({ max_age: 60, unread_ports: ["text"] });
    const keys = [...cache.entries.values()];
    for (const { element, charge, reused, digests } of cellsOf(outcome, "work")) {
      const { milli_credits: milli, digest } = keys[element]!;
      expect(milli).toBeGreaterThan(0);
      expect([charge?.milliCredits ?? 0, reused, digests?.outputs]).toEqual([
        0,
        { execution: MAKER, milliCredits: milli, isCached: true },
        digest,
      ]);
    }
    expect([outcome.chargedMilliCredits, outcome.rows.state.nodes[1]]).toMatchObject([
      0,
      { ok: ROWS.length, reused: ROWS.length, charged: 0 },
    ]);
  });

  test("and are not found, are worked out once each, and nothing else is asked", async () => {
    const cache = new FakeCache();
    const outcome = await run(ROWS, { lookUps: cache.lookUps() });
    expect(workedOn(outcome, "work")).toHaveLength(ROWS.length);
    expect(results(outcome)).toEqual(results(await run(ROWS, {})));
    expect(new Set(cache.asked).size).toBe(ROWS.length);
    expect(cache.asked).toHaveLength(ROWS.length);
  });

  test("have keys of their workspace, and of what they received", async () => {
    const cache = await filled(ROWS.slice(0, 10));
    const answer = ({ key }: WantedEntry) => cache.entries.get(key) ?? null;
    const others = await run(ROWS.slice(0, 10), { lookUps: cache.lookUps(answer, "ws_2") });
    expect(workedOn(others, "work")).toHaveLength(10);
    const last = ROWS[9]!.of;
    const rows = [...ROWS.slice(5, 10), { of: String(last) }, { of: last, more: null }];
    const outcome = await run(rows, { lookUps: cache.lookUps() });
    expect(workedOn(outcome, "work")).toEqual([5, 6]);
  });

  test("of nodes that do not use the cache are not asked for, nor are results of an aggregator", async () => {
    const cache = new FakeCache();
    const nodes = [
      ["rows", "input/json"],
      ["gather", "fake/gather", { ...SURE, collapse: "innermost" }],
      ["out", "output/json"],
    ] as const;
    await run(ROWS.slice(0, 3), { lookUps: cache.lookUps() }, nodes, [
      "rows.item > gather.item",
      "gather.out > out.json",
    ]);
    const off = { ...cache.lookUps(), use: () => undefined };
    expect(workedOn(await run(ROWS.slice(0, 3), { lookUps: off }), "work")).toHaveLength(3);
    expect(cache.asked).toEqual([]);
  });

  test("are asked for again where a page was full, and a cache that answers nothing holds up nothing", async () => {
    const cache = await filled(ROWS);
    const few = cache.lookUps(({ key }, at) =>
      at < 100 ? (cache.entries.get(key) ?? null) : "later",
    );
    const outcome = await run(ROWS, { lookUps: few });
    expect([outcome.executed, cache.pages.length]).toEqual([[], 12]);
    // After one that was answered in part, a page has twice as many as were answered, but at least a few.
    expect(cache.pages.slice(1).every(({ length }) => length <= 250)).toBe(true);
    const silent = cache.lookUps(() => "later");
    expect(workedOn(await run(ROWS, { lookUps: silent }), "work")).toHaveLength(ROWS.length);
    const empty = { ...cache.lookUps(), lookUp: () => Promise.resolve([]) };
    expect(workedOn(await run(ROWS, { lookUps: empty }), "work")).toHaveLength(ROWS.length);
  });

  test("wait for a large page where all was found, and for a small one where something was not", async () => {
    const wide = ALL.map((_row, at) => ({ of: `row ${at}` }));
    const cache = new FakeCache();
    const found = (key: string) => entryOf(key, '[["out",["j",1]]]', 1);
    const pagesOf = async (isThere: (at: number) => boolean) => {
      cache.pages.splice(0);
      let asked = 0;
      const lookUps = cache.lookUps(({ key }) => (isThere(asked++) ? found(key) : null));
      await run(wide, { lookUps });
      return cache.pages.map(({ length }) => length);
    };
    const [first, ...large] = await pagesOf(() => true);
    expect(first).toBeLessThanOrEqual(1_000);
    expect(large.slice(0, -1).every((size) => size === 2_560)).toBe(true);
    expect(large.length).toBeGreaterThan(1);
    const small = await pagesOf((at) => at % 1_000 > 0);
    expect(Math.max(...small)).toBeLessThanOrEqual(1_000);
  });

  test("are settled whatever is lost: processes, reports, and what was answered", async () => {
    const rows = ROWS.slice(0, 60);
    const cache = await filled(rows.filter((_row, at) => at % 3 > 0));
    const alone = results(await run(rows, {}));
    let crashes = 0;
    for (let seed = 1; seed <= 60; seed++) {
      const outcome = await run(rows, { lookUps: cache.lookUps(), equals: EQUALS, seed });
      crashes += outcome.crashes;
      expect({ seed, ...results(outcome) }).toEqual({ seed, ...alone });
      expect(workedOn(outcome, "work").every((element) => element % 3 === 0)).toBe(true);
      expect(outcome.rows.state.nodes[1]).toMatchObject({ ok: 60, reused: 40 });
    }
    expect(crashes).toBeGreaterThan(60);
  });

  test("are neither settled nor given to workers if the run was stopped while they were looked up", async () => {
    const commit = vi.fn();
    let isRunning = true;
    const ask = async (ends: boolean) => {
      const asked = {
        hasAnswers: false,
        missed: [{ node: 1, element: 0 }],
        found: () => [],
        settled: () => {},
        ask: async () => {
          await Promise.resolve();
          asked.hasAnswers = true;
          isRunning = !ends;
        },
      };
      const now = () => ({ plan: { nodes: [] }, isRunning, commit }) as unknown as SettleDriver;
      await takeAnswers(now, asked as unknown as AskedElements, {} as RunState, 10);
    };
    await ask(true);
    expect(commit).not.toHaveBeenCalled();
    await ask(false);
    expect(commit).toHaveBeenCalledWith([], { releaseTasks: [{ node: 1, element: 0 }] });
  });

  test("are neither settled nor begun after a cancel", async () => {
    const cache = await filled(ROWS);
    for (const cancelAt of [0, 1]) {
      const outcome = await run(ROWS, { lookUps: cache.lookUps(), cancelAt });
      expect([outcome.executed.length, outcome.chargedMilliCredits]).toEqual([0, 0]);
    }
  });

  test("are settled where memory is short, also if what was found had to go meanwhile", async () => {
    const cache = await filled(ROWS);
    // As long as values are that nodes of a catalog make.
    const long = { port: "long", value: encodeValue("x".repeat(4_000)) };
    for (const [key, entry] of cache.entries) {
      cache.entries.set(key, { ...entry, outputs: [...entry.outputs, long] });
    }
    const rows = ROWS;
    const budget = new MemoryBudget(3 * 1024 * 1024);
    const outcome = await run(rows, { lookUps: cache.lookUps(), memory: new MemoryGate(budget) });
    expect([outcome.executed, outcome.rows.state.nodes[1]]).toMatchObject([
      [],
      { ok: rows.length, reused: rows.length },
    ]);
    expect(cache.asked.length).toBeGreaterThanOrEqual(rows.length);
    expect(budget.takenBytes).toBe(0);
  });
});

describe("[E44] elements that wait for an equal one", () => {
  const FOUR = Array.from({ length: 40 }, (_, at) => ROWS[at % 4]!);

  test("are not looked up, and have the result and the marks of the one that was found", async () => {
    const cache = await filled(FOUR.slice(0, 3));
    const outcome = await run(FOUR, { lookUps: cache.lookUps(), equals: EQUALS });
    expect(cache.asked).toHaveLength(4);
    expect(workedOn(outcome, "work")).toEqual([3]);
    const makers = cellsOf(outcome, "work").map(({ reused }) => reused?.execution ?? "none");
    expect(makers).toEqual(FOUR.map((_row, at) => (at % 4 < 3 ? MAKER : at === 3 ? "none" : RUN)));
  });
});
