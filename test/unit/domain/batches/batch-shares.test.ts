/** docs/contract/batches.md#pacing. */
import { describe, expect, test } from "vitest";
import { BatchShares, sharedSlots } from "../../../../src/domain/batches/batch-shares.ts";
import { SeededRandom } from "../../../simulation/seeded-random.ts";

const MAX = 16;

test.each([
  [1, 1],
  [2, 1],
  [4, 3],
  [256, 192],
])("of %i executions at once batches hold at most %i", (max, shared) => {
  expect(sharedSlots(max)).toBe(shared);
});

describe("batches with work", () => {
  test("get one slot after the other in turn", () => {
    const shares = new BatchShares();
    shares.wants("a", 100, 0);
    shares.wants("b", 100, 0);
    shares.wants("c", 2, 0);
    const rooms = shares.rooms(MAX, MAX, 0);
    expect(Object.fromEntries(rooms)).toEqual({ a: 5, b: 5, c: 2 });
  });

  test("leave the slots that others hold, and those of single runs", () => {
    const shares = new BatchShares();
    shares.reset([["old", 11]]);
    shares.wants("a", 100, 0);
    expect(shares.rooms(MAX, 5, 0).get("a")).toBe(1);
    shares.ended("old");
    expect(shares.rooms(MAX, 0, 0).get("a")).toBeUndefined();
  });

  test("are served by turns if there are fewer slots than batches", () => {
    const shares = new BatchShares();
    const served: string[] = [];
    for (const batch of ["a", "b", "c"]) {
      shares.wants(batch, 10, 0);
    }
    for (let turn = 0; turn < 6; turn++) {
      const [[batch] = [""]] = shares.rooms(1, 1, 0);
      served.push(batch);
      shares.admitted(batch);
      shares.ended(batch);
    }
    expect(served).toEqual(["a", "b", "c", "a", "b", "c"]);
  });

  test("that no longer ask keep nothing from others", () => {
    const shares = new BatchShares();
    shares.wants("gone", 100, 0);
    shares.wants("a", 100, 120_000);
    expect(Object.fromEntries(shares.rooms(MAX, MAX, 120_000))).toEqual({ a: 12 });
  });

  test("that no longer ask are forgotten, so that ends of runs tell nobody", () => {
    const shares = new BatchShares();
    shares.wants("gone", 100, 0);
    expect([...shares.rooms(MAX, MAX, 120_000)]).toEqual([]);
    expect(shares.hasWaiting).toBe(false);
  });
});

test("batches never hold more than their slots, and none are left while one has work", () => {
  const random = new SeededRandom(5);
  const shares = new BatchShares();
  const live = new Map<string, number>();
  const wanted = new Map<string, number>();
  for (let step = 0; step < 2_000; step++) {
    const batch = random.pick(["a", "b", "c", "d"]);
    const held = [...live.values()].reduce((sum, n) => sum + n, 0);
    const free = random.int(0, MAX - held);
    if (random.chance(0.3)) {
      wanted.set(batch, random.int(0, 9));
      shares.wants(batch, wanted.get(batch) ?? 0, 0);
    } else if (random.chance(0.5) && (live.get(batch) ?? 0) > 0) {
      live.set(batch, (live.get(batch) ?? 0) - 1);
      shares.ended(batch);
    }
    const now = [...live.values()].reduce((sum, n) => sum + n, 0);
    const rooms = shares.rooms(MAX, free, 0);
    const dealt = [...rooms.values()].reduce((sum, n) => sum + n, 0);
    const all = [...wanted.values()].reduce((sum, n) => sum + n, 0);
    expect(dealt).toBe(Math.max(0, Math.min(free, sharedSlots(MAX) - now, all)));
    for (let room = rooms.get(batch) ?? 0; room > 0; room--) {
      shares.admitted(batch);
      live.set(batch, (live.get(batch) ?? 0) + 1);
      wanted.set(batch, (wanted.get(batch) ?? 0) - 1);
    }
  }
});
