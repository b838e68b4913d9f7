import { describe, expect, test } from "vitest";
import { HINTS_MAX, HintQueue } from "../../../../durable-objects/executor/hint-queue.ts";

const hint = (run_id: string, chunk: number) =>
  ({ v: 1, workspace_id: "ws", run_id, slot: 0, chunk }) as const;

function takeAll(queue: HintQueue): string[] {
  const taken: string[] = [];
  for (let next = queue.take(); next !== undefined; next = queue.take()) {
    taken.push(`${next.run_id}${next.chunk}`);
  }
  return taken;
}

describe("waiting hints", () => {
  test("are taken alternately from all runs, each run's in order", () => {
    const queue = new HintQueue();
    for (const [run, chunk] of [
      ["a", 1],
      ["a", 2],
      ["a", 3],
      ["b", 1],
      ["c", 1],
      ["b", 2],
    ] as const) {
      queue.offer(hint(run, chunk));
    }
    expect(takeAll(queue)).toEqual(["a1", "b1", "c1", "a2", "b2", "a3"]);
    expect(queue.size).toBe(0);
  });

  test("are queued once, however often they were sent", () => {
    const queue = new HintQueue();
    expect([queue.offer(hint("a", 1)), queue.offer(hint("a", 1))]).toEqual([true, true]);
    expect(takeAll(queue)).toEqual(["a1"]);
    // Taken hints are forgotten: the same chunk may have tasks to repeat later.
    expect(queue.offer(hint("a", 1))).toBe(true);
    expect(takeAll(queue)).toEqual(["a1"]);
  });

  test("are rejected beyond the limit, and accepted again when there is room", () => {
    const queue = new HintQueue();
    for (let chunk = 0; chunk < HINTS_MAX; chunk++) {
      expect(queue.offer(hint("a", chunk))).toBe(true);
    }
    expect(queue.offer(hint("b", 0))).toBe(false);
    expect(queue.offer(hint("a", 5))).toBe(true);
    expect(queue.size).toBe(HINTS_MAX);
    queue.take();
    expect(queue.offer(hint("b", 0))).toBe(true);
  });
});
