/** What a run's work holds is asked for; without room the work is left, released and repeated. */
import { describe, expect, test } from "vitest";
import { MemoryShortage, WorkMemory } from "../../../../src/engine/drive/work-memory.ts";
import type { JsonValue } from "../../../../src/lib/json/exact-json.ts";
import { MemoryBudget } from "../../../../src/lib/memory/memory-budget.ts";
import { MemoryGate } from "../../../../src/lib/memory/memory-gate.ts";
import { findNodeType } from "../../../../src/nodes/registry.ts";
import { defineGraph, type GraphNode } from "../../../simulation/define-graph.ts";
import { plainOutcome } from "../../../simulation/plain-outcome.ts";
import { runEngine } from "../../../simulation/run-engine.ts";

const MB = 1024 * 1024;

describe("the memory of a piece of work", () => {
  const begin = (bytesMax = 100 * MB) => {
    const budget = new MemoryBudget(bytesMax);
    return { budget, memory: new WorkMemory(new MemoryGate(budget)) };
  };

  test("asks for nothing while it is small", () => {
    const { budget, memory } = begin();
    memory.read(200_000);
    memory.make(200_000);
    expect([budget.takenBytes, memory.isSmall, memory.isFull]).toEqual([0, true, false]);
  });

  test("asks for all that it holds, and releases what it no longer needs", () => {
    const { budget, memory } = begin();
    memory.read(3 * MB);
    memory.load(20 * MB);
    memory.make(2 * MB);
    expect(budget.takenBytes).toBe(25 * MB);
    expect(memory.isFull).toBe(true);
    memory.load(-15 * MB);
    expect(budget.takenBytes).toBe(10 * MB);
    memory.settle(4 * MB);
    expect([budget.takenBytes, memory.isFull]).toEqual([10 * MB, false]);
    memory.release();
    memory.release();
    expect(budget.takenBytes).toBe(0);
  });

  test("never waits: it says what it lacks, of which it may be given all before it begins", async () => {
    const { budget, memory } = begin(10 * MB);
    const other = await new MemoryGate(budget).take(6 * MB);
    memory.make(3 * MB);
    expect(() => {
      memory.make(6 * MB);
    }).toThrow(MemoryShortage);
    memory.release();
    other.release();
    const gate = new MemoryGate(budget);
    const again = new WorkMemory(gate, await gate.take(6 * MB));
    again.make(6 * MB);
    expect(budget.takenBytes).toBe(6 * MB);
    again.release();
    expect(budget.takenBytes).toBe(0);
  });
});

/** 40 texts of some 60 KB are taken apart, passed on and collected: 2.4 MB. */
const WORD = "lorem ipsum ".repeat(5_000);
const rows = Array.from({ length: 40 }, (_, n) => ({ n, word: `${n} ${WORD}` }));
const NODES: readonly GraphNode[] = [
  ["rows", "input/json"],
  ["text", "utility/json_path", { path: "$.word" }],
  ["all", "aggregate/json", { jsonAggregateConfig: { columns: [{ inputPort: "a" }] } }],
  ["out", "output/json"],
];
const LINKS = ["rows.item > text.json", "text.value > all.a", "all.json > out.json"];
const request = (values: readonly JsonValue[] = rows) => ({
  definition: defineGraph(NODES, LINKS),
  findNodeType,
  inputs: new Map<string, JsonValue>([["rows", values as JsonValue]]),
});

test("a run that finds no room leaves its work, waits without holding memory, and ends the same", async () => {
  const budget = new MemoryBudget(20 * MB);
  const gate = new MemoryGate(budget);
  const others = await new MemoryGate(budget).take(20 * MB - 1);
  const waits: (readonly [wanted: number, held: number])[] = [];
  const memory = {
    keep: (bytes: number, drop: () => void) => gate.keep(bytes, drop),
    takeNow: (bytes: number) => gate.takeNow(bytes),
    wait: (bytes: number) => {
      // Each time with only the others' memory taken.
      waits.push([bytes, budget.takenBytes]);
      others.release();
      return gate.wait(bytes);
    },
  };
  const outcome = await runEngine({ ...request(), memory });
  expect(plainOutcome(outcome)).toEqual(plainOutcome(await runEngine(request())));
  expect(outcome.status).toBe("completed");
  expect(waits.length).toBeGreaterThan(0);
  expect(waits[0]).toEqual([expect.any(Number), 20 * MB - 1]);
  expect(waits.slice(1).every(([, held]) => held === 0)).toBe(true);
  expect([budget.takenBytes, budget.isContended]).toEqual([0, false]);
});

test.each([1, 2, 3])(
  "a run that is refused memory at each %dth time ends the same",
  async (every) => {
    const budget = new MemoryBudget(Number.MAX_SAFE_INTEGER);
    const gate = new MemoryGate(budget);
    let asked = 0;
    const heldAtWaits: number[] = [];
    const memory = {
      keep: (bytes: number, drop: () => void) => gate.keep(bytes, drop),
      takeNow: (bytes: number) => (asked++ % every === 0 ? undefined : gate.takeNow(bytes)),
      wait: (bytes: number) => {
        heldAtWaits.push(budget.takenBytes);
        return gate.wait(bytes);
      },
    };
    const outcome = await runEngine({ ...request(), memory });
    expect(plainOutcome(outcome)).toEqual(plainOutcome(await runEngine(request())));
    expect(heldAtWaits.length).toBeGreaterThan(1);
    expect(heldAtWaits.every((held) => held === 0)).toBe(true);
    expect(budget.takenBytes).toBe(0);
  },
);

test("an aggregator whose values together are larger than one value fails with VALUE_TOO_LARGE before it holds all of them", async () => {
  const budget = new MemoryBudget(Number.MAX_SAFE_INTEGER);
  let most = 0;
  const gate = new MemoryGate(budget);
  const memory = {
    keep: (bytes: number, drop: () => void) => gate.keep(bytes, drop),
    takeNow: (bytes: number) => {
      const lease = gate.takeNow(bytes);
      most = Math.max(most, budget.takenBytes);
      return lease;
    },
    wait: (bytes: number) => gate.wait(bytes),
  };
  // 60 MB of text, one string in all of them.
  const values = Array.from({ length: 1_000 }, (_, n) => ({ n, word: WORD }));
  const { status, cells } = plainOutcome(await runEngine({ ...request(values), memory }));
  expect(status).toBe("failed");
  expect(cells["all"]).toEqual([[[], "failed", "VALUE_TOO_LARGE"]]);
  expect(most).toBeGreaterThan(0);
  expect(budget.takenBytes).toBe(0);
});
