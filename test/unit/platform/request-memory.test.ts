/** A request's memory keeps its context alive while it holds some, and not longer. */
import { expect, test } from "vitest";
import { MemoryBudget } from "../../../src/lib/memory/memory-budget.ts";
import { MemoryGate } from "../../../src/lib/memory/memory-gate.ts";
import { RequestMemory } from "../../../src/platform/request-memory.ts";

const BYTES = 100;

/** A request's memory, and how many promises keep its context alive. */
function begin(waitMaxMs = 10_000) {
  const budget = new MemoryBudget(BYTES);
  let kept = 0;
  const memory = new RequestMemory(
    (promise) => {
      kept++;
      void promise.then(() => kept--);
    },
    new MemoryGate(budget),
    waitMaxMs,
  );
  return { budget, memory, kept: () => Promise.resolve().then(() => kept) };
}

test("the context ends with the last lease, in whatever order they are released", async () => {
  const { budget, memory, kept } = begin();
  const lease = await memory.take(40);
  await memory.use(50, async () => {
    expect([budget.takenBytes, await kept()]).toEqual([90, 1]);
  });
  expect([budget.takenBytes, await kept()]).toEqual([40, 1]);
  lease.release();
  lease.release();
  expect([budget.takenBytes, await kept()]).toEqual([0, 0]);
  await expect(memory.use(BYTES, () => Promise.reject(new Error("lost")))).rejects.toThrow("lost");
  expect([budget.takenBytes, await kept()]).toEqual([0, 0]);
});

test("everything is released at the end", async () => {
  const { budget, memory, kept } = begin();
  await memory.take(40);
  memory.takeNow(50);
  expect([memory.takeNow(20), await kept()]).toEqual([undefined, 1]);
  memory.release();
  memory.release();
  expect([budget.takenBytes, await kept()]).toEqual([0, 0]);
});

test("a request that gets no memory in time holds nothing", async () => {
  const { budget, memory, kept } = begin(1);
  const others = await new MemoryGate(budget).take(BYTES);
  await expect(memory.take(10)).rejects.toMatchObject({
    code: "service_unavailable",
    headers: { "retry-after": "5" },
  });
  expect([budget.isContended, await kept()]).toEqual([false, 0]);
  others.release();
});
