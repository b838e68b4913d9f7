import { MemoryBudget } from "../../../src/lib/memory/memory-budget.ts";
import { expect, test } from "vitest";
import { WeightedCache } from "../../../src/lib/memory/weighted-cache.ts";

test("a cache of versions has at most its maximum weight and removes the least recently used", () => {
  const cache = new WeightedCache<string>(10);
  cache.set("a", "A", 4);
  cache.set("b", "B", 4);
  expect(cache.get("a")).toBe("A");
  cache.set("c", "C", 4);
  expect([cache.get("a"), cache.get("b"), cache.get("c")]).toEqual(["A", undefined, "C"]);
});

test("setting a value again replaces its weight, and a value heavier than the whole cache is not kept", () => {
  const cache = new WeightedCache<string>(10);
  for (let round = 0; round < 5; round += 1) {
    cache.set("a", `A${round}`, 6);
  }
  cache.set("b", "B", 4);
  expect([cache.get("a"), cache.get("b")]).toEqual(["A4", "B"]);
  cache.set("huge", "H", 11);
  expect([cache.get("a"), cache.get("b"), cache.get("huge")]).toEqual(["A4", "B", undefined]);
});

test("kept values count in the isolate's memory, and all of them are dropped when their room is needed", () => {
  const budget = new MemoryBudget(1_000);
  const cache = new WeightedCache<string>(100, 5, budget);
  cache.set("a", "A", 60);
  cache.set("b", "B", 60);
  expect(budget.keptBytes).toBe(60 * 5);
  expect(cache.get("b")).toBe("B");
  budget.tryTake(budget.join(budget.holder(), 900), 0);
  expect(budget.keptBytes).toBe(0);
  expect(cache.get("b")).toBeUndefined();
  cache.set("c", "C", 10);
  expect(cache.get("c")).toBe("C");
  expect(budget.keptBytes).toBe(50);
});
