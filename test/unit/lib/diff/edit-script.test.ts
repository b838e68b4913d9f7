/** Scripts of edits are shortest, and do what they say: compared with a table of longest common subsequences. */
import { describe, expect, it } from "vitest";
import { editScript } from "../../../../src/lib/diff/edit-script.ts";
import { SeededRandom } from "../../../simulation/seeded-random.ts";
import { IS_PROOF } from "../../../support/sizes.ts";

const PAIRS = IS_PROOF ? 10_000 : 800;

/** Deletions and insertions of a shortest script. */
function distance(a: readonly number[], b: readonly number[]): number {
  let row = Array.from({ length: b.length + 1 }, () => 0);
  for (const item of a) {
    const next = [0];
    for (const [at, other] of b.entries()) {
      next.push(item === other ? row[at]! + 1 : Math.max(row[at + 1]!, next[at]!));
    }
    row = next;
  }
  return a.length + b.length - 2 * row.at(-1)!;
}

type Edits = NonNullable<ReturnType<typeof editScript>>;

function applied(a: readonly number[], b: readonly number[], edits: Edits): number[] {
  const result: number[] = [];
  let at = 0;
  for (const { aFrom, aTo, bFrom, bTo } of edits) {
    expect(aFrom).toBeGreaterThanOrEqual(at);
    result.push(...a.slice(at, aFrom));
    expect(result).toHaveLength(bFrom);
    result.push(...b.slice(bFrom, bTo));
    at = aTo;
  }
  return [...result, ...a.slice(at)];
}

const sizeOf = (edits: Edits) =>
  edits.reduce((sum, { aFrom, aTo, bFrom, bTo }) => sum + aTo - aFrom + bTo - bFrom, 0);

/** Alphabets of 1 to 6 items, so that there are many equal items and many shortest scripts. */
function* pairs() {
  for (let seed = 1; seed <= PAIRS; seed++) {
    const random = new SeededRandom(seed);
    const letters = random.int(1, 6);
    const sequence = () => Array.from({ length: random.int(0, 24) }, () => random.below(letters));
    const a = sequence();
    const b = random.chance(0.5)
      ? sequence()
      : a.flatMap((item) =>
          random.chance(0.2) ? (random.chance(0.5) ? [] : [item, random.below(letters)]) : [item],
        );
    yield { seed, a, b };
  }
}

describe("a script of edits", () => {
  it("makes one sequence of the other, and none is shorter", () => {
    for (const { seed, a, b } of pairs()) {
      const edits = editScript(Int32Array.from(a), Int32Array.from(b), 100);
      expect([seed, edits === null]).toEqual([seed, false]);
      expect([seed, sizeOf(edits!)]).toEqual([seed, distance(a, b)]);
      expect([seed, applied(a, b, edits!)]).toEqual([seed, b]);
    }
  });

  it("is given up exactly where it needs more edits than allowed", () => {
    let refused = 0;
    for (const { seed, a, b } of pairs()) {
      const allowed = seed % 12;
      const edits = editScript(Int32Array.from(a), Int32Array.from(b), allowed);
      expect([seed, edits === null]).toEqual([seed, distance(a, b) > allowed]);
      refused += edits === null ? 1 : 0;
    }
    expect(refused).toBeGreaterThan(PAIRS / 5);
    expect(refused).toBeLessThan(PAIRS * 0.95);
  });

  it("keeps an equal item between two edits", () => {
    for (const { a, b } of pairs()) {
      const edits = editScript(Int32Array.from(a), Int32Array.from(b), 100)!;
      edits.slice(1).forEach((edit, at) => {
        expect(edit.aFrom).toBeGreaterThan(edits[at]!.aTo);
        expect(edit.bFrom - edits[at]!.bTo).toBe(edit.aFrom - edits[at]!.aTo);
      });
    }
  });

  it("reads no more items than the lengths times the edits, whatever they are", () => {
    const LENGTH = 2_000;
    const EDITS = 200;
    let reads = 0;
    const counted = (items: readonly number[]) => {
      const list = Int32Array.from(items);
      return new Proxy(list, {
        get: (target, name) => {
          reads++;
          return Reflect.get(target, name, target) as unknown;
        },
      });
    };
    const random = new SeededRandom(7);
    const hostile = [1, 2].map(() => Array.from({ length: LENGTH }, () => random.below(2)));
    expect(editScript(counted(hostile[0]!), counted(hostile[1]!), EDITS)).toBeNull();
    const items = hostile[0]!.length + hostile[1]!.length;
    expect(reads).toBeGreaterThan(items);
    expect(reads).toBeLessThan(items * EDITS);
  });
});
