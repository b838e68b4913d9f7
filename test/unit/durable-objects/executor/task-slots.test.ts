import { describe, expect, test } from "vitest";
import { TASKS_MAX, TaskSlots } from "../../../../durable-objects/executor/task-slots.ts";
import { MemoryBudget, type MemoryLease } from "../../../../src/lib/memory-budget.ts";
import { MemoryGate } from "../../../../src/lib/memory-gate.ts";

const BYTES_MAX = 1_000;

/** Names of those let in, in order, with what they hold. */
function entering(budget = new MemoryBudget(BYTES_MAX)) {
  const slots = new TaskSlots(new MemoryGate(budget));
  const entered = new Map<string, MemoryLease>();
  const enter = async (name: string, bytes: number) => {
    entered.set(name, await slots.enter(bytes));
  };
  return {
    budget,
    entered,
    names: () => [...entered.keys()],
    enter: (name: string, bytes: number) => void enter(name, bytes),
    leave: (name: string) => {
      slots.leave(entered.get(name)!);
    },
  };
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 60));

describe("task slots", () => {
  test("are as many in one object as the bound says", async () => {
    const { names, enter, leave } = entering();
    for (let task = 0; task <= TASKS_MAX; task++) {
      enter(`${task}`, 0);
    }
    await settled();
    expect(names()).toHaveLength(TASKS_MAX);
    leave("0");
    await settled();
    expect(names().at(-1)).toBe(`${TASKS_MAX}`);
  });

  test("hold no more memory than the isolate's budget, and small ones pass a large one that waits", async () => {
    const { names, enter, leave } = entering();
    enter("half", BYTES_MAX / 2);
    enter("large", BYTES_MAX);
    enter("small", 1);
    await settled();
    expect(names()).toEqual(["half", "small"]);
    leave("half");
    await settled();
    expect(names()).toEqual(["half", "small"]);
    leave("small");
    await settled();
    expect(names()).toEqual(["half", "small", "large"]);
  });

  test("of several objects share one budget", async () => {
    const budget = new MemoryBudget(BYTES_MAX);
    const [one, two] = [entering(budget), entering(budget)];
    one.enter("most", BYTES_MAX - 1);
    two.enter("half", BYTES_MAX / 2);
    two.enter("small", 1);
    await settled();
    expect([one.names(), two.names()]).toEqual([["most"], ["small"]]);
    one.leave("most");
    await settled();
    expect(two.names()).toEqual(["small", "half"]);
    two.leave("small");
    two.leave("half");
    expect(budget.takenBytes).toBe(0);
  });

  test("let in a task that alone is over the bound", async () => {
    const { names, enter, leave } = entering();
    enter("huge", BYTES_MAX * 2);
    enter("next", 1);
    await settled();
    expect(names()).toEqual(["huge"]);
    leave("huge");
    await settled();
    expect(names()).toEqual(["huge", "next"]);
  });
});
