import { describe, expect, test } from "vitest";
import { TaskAbort } from "../../../../durable-objects/executor/task-abort.ts";
import {
  TaskMemory,
  TASKS_MAX,
  TaskSlots,
} from "../../../../durable-objects/executor/task-slots.ts";
import { MemoryBudget } from "../../../../src/lib/memory/memory-budget.ts";
import { MemoryGate } from "../../../../src/lib/memory/memory-gate.ts";
import { NodeError } from "../../../../src/lib/errors/node-error.ts";

const BYTES_MAX = 1_000;

/** Names of admitted tasks, in order, with their memory. */
function entering(budget = new MemoryBudget(BYTES_MAX), waitMaxMs?: number) {
  const slots = new TaskSlots(new MemoryGate(budget), waitMaxMs);
  const entered = new Map<string, TaskMemory>();
  const turnedAway: string[] = [];
  const enter = async (name: string, bytes: number, abort?: TaskAbort) => {
    const lease = await slots.enter(bytes, abort);
    if (lease === undefined) {
      turnedAway.push(name);
    } else {
      entered.set(name, lease);
    }
  };
  return {
    budget,
    entered,
    turnedAway,
    names: () => [...entered.keys()],
    enter: (name: string, bytes: number, abort?: TaskAbort) => void enter(name, bytes, abort),
    leave: (name: string) => {
      slots.leave(entered.get(name)!);
    },
  };
}

const CANCELLED = new NodeError("CANCELLED", "The run was cancelled.");
const settled = () => new Promise((resolve) => setTimeout(resolve, 60));

describe("task slots", () => {
  test("are limited in number within one object", async () => {
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

  test("give a task's file other memory, or where others wait for that a part of the task's own", async () => {
    const { budget, entered, names, enter, leave } = entering();
    enter("task", 400);
    await settled();
    const beside = entered.get("task")!.takeForFile(100)!;
    expect(budget.takenBytes).toBe(500);
    enter("next", 950);
    const part = entered.get("task")!.takeForFile(100)!;
    expect([part.bytes, budget.takenBytes]).toEqual([100, 500]);
    expect(entered.get("task")!.takeForFile(301)).toBeUndefined();
    leave("task");
    expect(budget.takenBytes).toBe(200);
    expect(names()).toEqual(["task"]);
    part.release();
    part.release();
    beside.release();
    await settled();
    expect([names(), budget.takenBytes]).toEqual([["task", "next"], 950]);
  });

  test("hold no more memory than the isolate's budget; small tasks pass a large one that waits", async () => {
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

  test("[E30] give a task back that waits too long for memory, and admit the next", async () => {
    const { budget, names, turnedAway, enter, leave } = entering(undefined, 30);
    enter("all", BYTES_MAX);
    enter("late", BYTES_MAX);
    await settled();
    expect([names(), turnedAway]).toEqual([["all"], ["late"]]);
    leave("all");
    enter("next", BYTES_MAX);
    await settled();
    expect(names()).toEqual(["all", "next"]);
    leave("next");
    expect(budget.takenBytes).toBe(0);
  });

  test("admit a task that exceeds the limit if it is alone", async () => {
    const { names, enter, leave } = entering();
    enter("huge", BYTES_MAX * 2);
    enter("next", 1);
    await settled();
    expect(names()).toEqual(["huge"]);
    leave("huge");
    await settled();
    expect(names()).toEqual(["huge", "next"]);
  });

  test("release a task at once that is aborted while it waits for memory", async () => {
    const { budget, enter, leave, names, turnedAway } = entering();
    const abort = new TaskAbort();
    enter("most", BYTES_MAX);
    enter("aborted", BYTES_MAX, abort);
    enter("next", BYTES_MAX);
    abort.abort(CANCELLED);
    await Promise.resolve();
    await Promise.resolve();
    expect([names(), turnedAway]).toEqual([["most"], ["aborted"]]);
    leave("most");
    await settled();
    expect(names()).toEqual(["most", "next"]);
    leave("next");
    expect([budget.takenBytes, budget.isContended]).toEqual([0, false]);
  });

  test("release a task at once that is aborted while it waits for a slot", async () => {
    const { budget, enter, leave, names, turnedAway } = entering();
    for (let task = 0; task < TASKS_MAX; task++) {
      enter(`${task}`, 0);
    }
    const abort = new TaskAbort();
    enter("aborted", 1, abort);
    await settled();
    expect(budget.takenBytes).toBe(1);
    abort.abort(CANCELLED);
    await settled();
    expect([turnedAway, budget.takenBytes]).toEqual([["aborted"], 0]);
    enter("next", 0);
    leave("0");
    await settled();
    expect(names().at(-1)).toBe("next");
  });

  test("take nothing for a task that was aborted before", async () => {
    const { enter, turnedAway, budget } = entering();
    enter("most", BYTES_MAX);
    const abort = new TaskAbort();
    abort.abort(CANCELLED);
    enter("aborted", 1, abort);
    await settled();
    expect([turnedAway, budget.takenBytes]).toEqual([["aborted"], BYTES_MAX]);
  });

  test("keep a task's share while it waits for more, and give the task back where there is none soon", async () => {
    const budget = new MemoryBudget(BYTES_MAX);
    const gate = new MemoryGate(budget);
    const taskOf = (bytes: number) => new TaskMemory(gate, gate.takeNow(bytes)!, 40);
    const abort = new TaskAbort();
    const [one, two] = [taskOf(400), taskOf(400)];
    await one.setMore(150, abort);
    expect(budget.takenBytes).toBe(950);
    // The new element takes the place of the one before.
    await one.setMore(200, abort);
    expect(budget.takenBytes).toBe(1_000);
    // Each waits for what the other has.
    const both = await Promise.allSettled([one.setMore(300, abort), two.setMore(300, abort)]);
    expect(both.map((end) => (end.status === "rejected" ? String(end.reason) : "taken"))).toEqual([
      "TaskGivenBack: The task is given back: no_memory.",
      "TaskGivenBack: The task is given back: no_memory.",
    ]);
    expect(budget.takenBytes).toBe(800);
    const later = two.setMore(300, abort);
    one.release();
    await later;
    expect(budget.takenBytes).toBe(700);
    await two.setMore(0, abort);
    expect(budget.takenBytes).toBe(400);
    two.release();
    expect([budget.takenBytes, budget.isContended]).toEqual([0, false]);
  });

  test("end with the reason of the abort while a task waits for more", async () => {
    const budget = new MemoryBudget(BYTES_MAX);
    const gate = new MemoryGate(budget);
    const memory = new TaskMemory(gate, gate.takeNow(BYTES_MAX)!);
    const abort = new TaskAbort();
    const waiting = memory.setMore(1, abort);
    abort.abort(CANCELLED);
    await expect(waiting).rejects.toBe(CANCELLED);
    memory.release();
    expect([budget.takenBytes, budget.isContended]).toEqual([0, false]);
  });
});
