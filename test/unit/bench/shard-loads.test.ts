import { expect, test } from "vitest";
import { shardLoads, shuffled } from "../../../bench/scale/shard-loads.ts";
import { SeededRandom } from "../../simulation/seeded-random.ts";

const ASKED = { facts: 302, plans: 2, signIns: 30 };

test("one database has everything, and no directory to ask", () => {
  expect(shardLoads(ASKED, [1, 2, 3], 1)).toEqual([332]);
});

test("equal tenants load equal shards, and shard 0 has the plans in addition", () => {
  const loads = shardLoads(ASKED, new Float64Array(64).fill(5), 4);
  const part = (300 + 30) / 4;
  expect(loads.map((load) => Math.round(load * 1_000) / 1_000)).toEqual([
    part + 2,
    part,
    part,
    part,
  ]);
});

test("a tenant that runs seldom loads its shard less, and all shards together are asked as much as one", () => {
  const loads = shardLoads(ASKED, [1, 0.0001], 2);
  expect(loads[1]).toBeLessThan((300 + 30) / 8);
  expect(loads.reduce((sum, load) => sum + load, 0)).toBeCloseTo(302 + 30);
});

test("a shuffle keeps every tenant and is the same for a seed", () => {
  const rates = Float64Array.from({ length: 1_000 }, (_rate, index) => index);
  const mixed = shuffled(rates, new SeededRandom(7));
  expect(mixed).not.toEqual(rates);
  expect(mixed.toSorted()).toEqual(rates);
  expect(shuffled(rates, new SeededRandom(7))).toEqual(mixed);
});
