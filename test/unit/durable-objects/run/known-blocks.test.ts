import { describe, expect, it } from "vitest";
import { type Block, newBlock } from "../../../../durable-objects/run/blocks/block.ts";
import { KnownBlocks } from "../../../../durable-objects/run/blocks/known-blocks.ts";
import { SeededRandom } from "../../../simulation/seeded-random.ts";

const STEPS = 5_000;
const NUMBERS = [0, 1, 2, 31_250, 2 ** 31, 2 ** 33];

describe("blocks in memory", () => {
  it("are found, and ordered by their last use, as in a Map, however they come and go", () => {
    const random = new SeededRandom(1);
    const known = new KnownBlocks<Block>();
    // A Map in which a block that is used is put at the end.
    const plain = new Map<string, Block>();
    const keyOf = (group: number, number: number) => `${group}.${number}`;
    let most = 0;
    for (let step = 0; step < STEPS; step++) {
      const [group, number] = [random.int(0, 3), random.pick(NUMBERS)];
      const key = keyOf(group, number);
      const there = plain.get(key);
      const action = random.next();
      if (action < 0.5) {
        expect(known.use(group, number)).toBe(there);
        if (there !== undefined) {
          plain.delete(key);
          plain.set(key, there);
        }
      } else if (action < 0.8 && there === undefined) {
        const block = newBlock(group, number);
        known.add(block);
        plain.set(key, block);
      } else if (action < 0.95) {
        if (there !== undefined) {
          known.remove(there);
          plain.delete(key);
        }
      } else if (action < 0.98) {
        // As an eviction does: some of the oldest go while the list is read.
        let left = random.int(1, 5);
        for (const block of known.oldestFirst()) {
          if (left-- > 0 && random.chance(0.7)) {
            known.remove(block);
            plain.delete(keyOf(block.group, block.number));
          }
        }
      } else if (random.chance(0.1)) {
        known.clear();
        plain.clear();
      }
      expect(known.peek(group, number)).toBe(plain.get(key));
      if (step % 10 === 0) {
        const inOrder = [...known.oldestFirst()].map((block) => keyOf(block.group, block.number));
        expect(inOrder).toEqual([...plain.keys()]);
      }
      most = Math.max(most, plain.size);
    }
    expect(most).toBeGreaterThan(10);
  });
});
