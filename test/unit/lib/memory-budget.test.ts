import { describe, expect, test, vi } from "vitest";
import { MemoryBudget, type MemoryLease } from "../../../src/lib/memory/memory-budget.ts";
import { MemoryGate } from "../../../src/lib/memory/memory-gate.ts";

/** Takes at once; undefined if there is no room. */
function taking(budget: MemoryBudget, nowMs = 0) {
  const holder = budget.holder();
  return (bytes: number, atMs = nowMs): MemoryLease | undefined => {
    const ticket = budget.join(holder, bytes);
    const lease = budget.tryTake(ticket, atMs);
    if (lease === undefined) {
      budget.leave(ticket);
    }
    return lease;
  };
}

describe("the memory of an isolate", () => {
  test("is shared by all holders, in any number of objects", () => {
    const budget = new MemoryBudget(100);
    const [one, two] = [taking(budget), taking(budget)];
    expect(one(60)?.bytes).toBe(60);
    expect(two(50)).toBeUndefined();
    expect(two(40)?.bytes).toBe(40);
    expect(budget.takenBytes).toBe(100);
  });

  test("is free again after leases of fractions, in any order", () => {
    const budget = new MemoryBudget(1_000);
    const take = taking(budget);
    const leases = [0.1, 0.2, 123.456, 0.3, 77.7].map((bytes) => take(bytes));
    for (const lease of leases.toReversed()) {
      lease?.shrink(0.05);
    }
    for (const lease of leases) {
      lease?.release();
    }
    expect(budget.takenBytes).toBe(0);
  });

  test("is released once, in parts or whole", () => {
    const budget = new MemoryBudget(100);
    const lease = taking(budget)(90)!;
    lease.shrink(30);
    lease.shrink(50);
    expect(budget.takenBytes).toBe(30);
    lease.release();
    lease.release();
    expect(budget.takenBytes).toBe(0);
  });

  test("is sufficient for a single holder, whatever it takes", () => {
    const budget = new MemoryBudget(100);
    const take = taking(budget);
    expect(take(500)?.bytes).toBe(500);
    expect(take(1)).toBeUndefined();
  });

  test("is granted to a large waiter before small ones have passed it forever", () => {
    const budget = new MemoryBudget(100);
    const small = taking(budget);
    let held = small(30)!;
    const large = budget.join(budget.holder(), 90);
    let passed = 0;
    while (passed < 1_000) {
      const next = small(30);
      if (next === undefined) {
        break;
      }
      held.release();
      held = next;
      passed++;
    }
    expect(passed).toBeGreaterThan(10);
    expect(passed).toBeLessThan(1_000);
    held.release();
    expect(budget.tryTake(large, 0)?.bytes).toBe(90);
  });

  test("of a dead object is released; of one that only works for a long time it is not", () => {
    const budget = new MemoryBudget(100);
    const dead = budget.holder();
    budget.tryTake(budget.join(dead, 60), 0);
    const alive = budget.holder();
    const kept = budget.tryTake(budget.join(alive, 30), 0)!;
    const take = taking(budget);
    for (let ms = 0; ms < 60_000; ms += 100) {
      budget.beat(alive);
      take(90, ms);
    }
    expect(budget.takenBytes).toBe(30);
    expect(take(70, 60_000)?.bytes).toBe(70);
    kept.release();
    expect(budget.takenBytes).toBe(70);
  });

  test("is not taken from a holder that could not report because the thread was busy", () => {
    const budget = new MemoryBudget(100);
    budget.tryTake(budget.join(budget.holder(), 60), 0);
    expect(taking(budget)(60, 120_000)).toBeUndefined();
    expect(budget.takenBytes).toBe(60);
  });

  test("is not taken from a holder because the machine stood still, however many ask after it", () => {
    const budget = new MemoryBudget(100);
    budget.tryTake(budget.join(budget.holder(), 60), 0);
    for (let i = 0; i < 200; i++) {
      expect(taking(budget)(60, 120_000)).toBeUndefined();
    }
    expect(budget.takenBytes).toBe(60);
  });
});

describe("kept memory", () => {
  test("is dropped when its room is needed, the least recently used first, and not while in use", () => {
    const budget = new MemoryBudget(100);
    const dropped: string[] = [];
    const one = budget.keep(30, () => dropped.push("one"));
    const two = budget.keep(30, () => dropped.push("two"));
    const three = budget.keep(30, () => dropped.push("three"));
    const done = two.use();
    one.resize(20);
    expect(taking(budget)(60)?.bytes).toBe(60);
    expect(dropped).toEqual(["three", "one"].slice(0, dropped.length));
    expect(budget.takenBytes + budget.keptBytes).toBeLessThanOrEqual(100);
    expect(dropped).not.toContain("two");
    done();
    three.resize(0);
  });

  test("counts as taken while it is in use, and can be kept again after it was dropped", () => {
    const budget = new MemoryBudget(100);
    const dropped = vi.fn();
    const kept = budget.keep(50, dropped);
    const done = kept.use();
    const take = taking(budget);
    const first = take(40)!;
    expect(take(40)).toBeUndefined();
    done();
    expect(take(40)?.bytes).toBe(40);
    expect(dropped).toHaveBeenCalledTimes(1);
    first.release();
    kept.resize(50);
    expect(budget.keptBytes).toBe(50);
  });
});

describe("a gate", () => {
  test("admits its callers as others release memory, and releases the rest after a failure or an end", async () => {
    const budget = new MemoryBudget(100);
    const [one, two] = [new MemoryGate(budget), new MemoryGate(budget)];
    const order: string[] = [];
    const work = (gate: MemoryGate, name: string, bytes: number, fails = false) =>
      gate
        .use(bytes, async () => {
          order.push(`${name} begins`);
          expect(budget.takenBytes).toBeLessThanOrEqual(100);
          await new Promise((resolve) => setTimeout(resolve, 5));
          order.push(`${name} ends`);
          if (fails) {
            throw new Error("as asked");
          }
        })
        .catch(() => undefined);
    await Promise.all([
      work(one, "a", 80, true),
      work(two, "b", 80),
      work(one, "c", 80),
      work(two, "d", 20),
    ]);
    expect(order.filter((line) => line.endsWith("begins"))).toHaveLength(4);
    expect(order.indexOf("d begins")).toBeLessThan(order.indexOf("a ends"));
    expect(order.indexOf("b begins")).toBeGreaterThan(order.indexOf("a ends"));
    expect(budget.takenBytes).toBe(0);
    expect(budget.isContended).toBe(false);
  });
});
