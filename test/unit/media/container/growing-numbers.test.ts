import { describe, expect, test } from "vitest";
import { GrowingNumbers } from "../../../../src/media/container/growing-numbers.ts";

/** Numbers of 1 to 4 bytes, in stretches of a random length. */
function numbers(count: number): readonly number[] {
  let state = 7;
  const random = () => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;
  const values: number[] = [];
  while (values.length < count) {
    const [bits, stretch] = [1 + Math.floor(random() * 32), 1 + Math.floor(random() * 1_500)];
    for (let i = 0; i < stretch && values.length < count; i++) {
      values.push(Math.floor(random() * 2 ** bits));
    }
  }
  return values;
}

describe("numbers that grow", () => {
  test.each([0, 1, 1_023, 1_024, 1_025, 20_000])("are kept, all %i of them", (count) => {
    const given = numbers(count);
    const kept = new GrowingNumbers();
    given.forEach((value) => kept.push(value));
    expect(kept.count).toBe(count);
    expect(kept.last).toBe(given.at(-1) ?? 0);
    expect([...kept.values()]).toEqual(given);
    expect([...kept.all()]).toEqual(given);
    const places = [0, 1, 1_023, 1_024, 9_999, count - 1, count];
    expect(places.map((at) => kept.at(at))).toEqual(places.map((at) => given[at] ?? 0));
  });

  test("are negative as the numbers of 32 bits that they are", () => {
    const kept = new GrowingNumbers();
    for (let i = 0; i < 1_025; i++) {
      kept.push(-1);
    }
    expect([kept.at(0), kept.at(1_024)]).toEqual([0xffff_ffff, 0xffff_ffff]);
  });

  test("change at the end, also where a block is full", () => {
    const kept = new GrowingNumbers();
    for (let i = 0; i < 1_024; i++) {
      kept.push(i);
    }
    kept.raise(-2, 10_000);
    kept.raise(-1, 5);
    kept.push(1);
    kept.raise(-1, 70_000);
    expect([1_021, 1_022, 1_023, 1_024].map((at) => kept.at(at))).toEqual([
      1_021, 11_022, 1_028, 70_001,
    ]);
    expect(() => kept.raise(-2, 1)).toThrow(RangeError);
  });
});
