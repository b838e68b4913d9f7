/** The inputs of claimed tasks stay within their budget, however many chunks are claimed at once. */
import { describe, expect, test } from "vitest";
import { ClaimMemory, type ClaimRoom } from "../../../../durable-objects/executor/claim-memory.ts";
import type { LeasedTask } from "../../../../src/contracts/runs/task.ts";
import { MemoryBudget } from "../../../../src/lib/memory/memory-budget.ts";
import { MemoryGate } from "../../../../src/lib/memory/memory-gate.ts";

const MB = 1024 * 1024;
const BUDGET_BYTES = 8 * MB;

/** A task whose input takes so many bytes. */
const task = (bytes: number) =>
  ({
    params_json: "",
    inputs: [{ port: "text", value: "x".repeat(bytes / 2) }],
  }) as unknown as LeasedTask;
const LARGE = Array.from({ length: 16 }, () => task(128 * 1024));
const SMALL = [task(32 * 1024)];

async function claimed(memory: ClaimMemory): Promise<ClaimRoom> {
  const room = await memory.reserve();
  if (room === undefined) {
    throw new Error("There was no room.");
  }
  return room;
}

/** Twenty executors with three chunks each. Returns the most that claimed and unfinished tasks held at once. */
async function mostHeld(budget: MemoryBudget): Promise<number> {
  let held = 0;
  let most = 0;
  const chunk = async (memory: ClaimMemory) => {
    const room = await claimed(memory);
    await new Promise((resolve) => setTimeout(resolve, 1));
    room.hold(LARGE);
    held += 2 * MB;
    most = Math.max(most, held);
    for (const one of LARGE) {
      await new Promise((resolve) => setTimeout(resolve, 0));
      room.drop(one);
      held -= 128 * 1024;
    }
    room.release();
  };
  const executors = Array.from({ length: 20 }, () => new ClaimMemory(new MemoryGate(budget)));
  await Promise.all(executors.flatMap((memory) => [chunk(memory), chunk(memory), chunk(memory)]));
  return most;
}

describe("chunks of twenty executors", () => {
  /** Claims whose size was not known when they were let in may each need twice what was reserved. */
  const BYTES_MAX = 2 * BUDGET_BYTES;

  test("hold little more than the budget together", async () => {
    const budget = new MemoryBudget(BUDGET_BYTES);
    expect(await mostHeld(budget)).toBeLessThanOrEqual(BYTES_MAX);
    expect([budget.takenBytes, budget.isContended]).toEqual([0, false]);
  });

  test("exceed it where nothing is asked for, which the test above finds", async () => {
    expect(await mostHeld(new MemoryBudget(Number.MAX_SAFE_INTEGER))).toBeGreaterThan(BYTES_MAX);
  });
});

test("a claim counts for what it holds: nothing if it is small, more than was reserved if it is large", async () => {
  const budget = new MemoryBudget(BUDGET_BYTES);
  const memory = new ClaimMemory(new MemoryGate(budget));
  const [small, large] = [await claimed(memory), await claimed(memory)];
  expect(budget.takenBytes).toBe(2 * MB);
  small.hold(SMALL);
  expect(budget.takenBytes).toBe(MB);
  large.hold(LARGE);
  expect(budget.takenBytes).toBe(2 * MB);
  large.drop(LARGE[0]!);
  expect(budget.takenBytes).toBe(2 * MB - 128 * 1024);
  large.release();
  large.release();
  small.release();
  expect(budget.takenBytes).toBe(0);
});

test("a chunk that finds no room in time is not claimed, and leaves the queue", async () => {
  const budget = new MemoryBudget(BUDGET_BYTES);
  const others = await new MemoryGate(budget).take(BUDGET_BYTES);
  const memory = new ClaimMemory(new MemoryGate(budget), 1);
  expect(await memory.reserve()).toBeUndefined();
  expect(budget.isContended).toBe(false);
  others.release();
  expect(await claimed(memory)).toBeDefined();
});
