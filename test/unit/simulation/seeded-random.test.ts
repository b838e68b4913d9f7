import { expect, test } from "vitest";
import { SeededRandom } from "../../simulation/seeded-random.ts";

test("one seed gives one sequence, another seed another", () => {
  const draw = (seed: number) => {
    const random = new SeededRandom(seed);
    return Array.from({ length: 20 }, () => random.next());
  };
  expect(draw(1)).toEqual(draw(1));
  expect(draw(1)).not.toEqual(draw(2));
});

test("whole numbers stay in their range and reach both ends", () => {
  const random = new SeededRandom(3);
  const seen = new Set(Array.from({ length: 500 }, () => random.int(-1, 2)));
  expect([...seen].toSorted((a, b) => a - b)).toEqual([-1, 0, 1, 2]);
  const below = new Set(Array.from({ length: 500 }, () => random.below(3)));
  expect([...below].toSorted((a, b) => a - b)).toEqual([0, 1, 2]);
});

test("a shuffle keeps every element once and reaches every order", () => {
  const random = new SeededRandom(4);
  const orders = Array.from({ length: 300 }, () => random.shuffled(["a", "b", "c"]).join(""));
  expect([...new Set(orders)].toSorted()).toEqual(["abc", "acb", "bac", "bca", "cab", "cba"]);
});

test("picking from an empty list is an error", () => {
  expect(() => new SeededRandom(1).pick([])).toThrow("nothing to pick from");
});
