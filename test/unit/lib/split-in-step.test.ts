import { describe, expect, test } from "vitest";
import { splitInStep } from "../../../src/lib/files/split-in-step.ts";

const NAMES = ["left", "right"] as const;
const bytes = (value: number) => Uint8Array.of(value);

async function valuesOf(pieces: AsyncIterable<Uint8Array>): Promise<number[]> {
  const values: number[] = [];
  for await (const [value] of pieces) {
    values.push(value ?? -1);
  }
  return values;
}

describe("blocks that are split in step", () => {
  test("become one sequence for each part, and no block is requested before all parts have the one before", async () => {
    // One buffer for all blocks: a block that was requested too early would change the one before it.
    const [left, right] = [bytes(0), bytes(0)];
    async function* blocks() {
      for (let at = 1; at <= 3; at++) {
        left[0] = at;
        right[0] = 10 * at;
        yield await Promise.resolve({ left, right });
      }
    }
    const parts = splitInStep(blocks(), NAMES, new AbortController().signal);
    expect(await Promise.all([valuesOf(parts.left), valuesOf(parts.right)])).toEqual([
      [1, 2, 3],
      [10, 20, 30],
    ]);
  });

  test("fail together with the source", async () => {
    async function* blocks() {
      yield await Promise.resolve({ left: bytes(1), right: bytes(2) });
      throw new Error("The source is damaged.");
    }
    const parts = splitInStep(blocks(), NAMES, new AbortController().signal);
    const ends = await Promise.allSettled([valuesOf(parts.left), valuesOf(parts.right)]);
    expect(ends.map((end) => end.status === "rejected" && String(end.reason))).toEqual([
      "Error: The source is damaged.",
      "Error: The source is damaged.",
    ]);
  });

  test("end with the signal's reason, although a part is not read, and end their source", async () => {
    let isEnded = false;
    async function* blocks() {
      try {
        for (;;) {
          yield await Promise.resolve({ left: bytes(1), right: bytes(2) });
        }
      } finally {
        isEnded = true;
      }
    }
    const stop = new AbortController();
    const parts = splitInStep(blocks(), NAMES, stop.signal);
    const right = parts.right[Symbol.asyncIterator]();
    const left = valuesOf(parts.left);
    await right.next();
    stop.abort(new Error("Nobody reads the other part."));
    await expect(left).rejects.toThrow("Nobody reads the other part.");
    await expect(right.next()).rejects.toThrow("Nobody reads the other part.");
    expect(isEnded).toBe(true);
    const late = splitInStep(blocks(), NAMES, stop.signal);
    await expect(valuesOf(late.left)).rejects.toThrow("Nobody reads the other part.");
  });
});
