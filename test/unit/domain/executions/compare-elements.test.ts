/** Items of two runs, page by page, against a plain reference that has all of them at once. */
import { describe, expect, it } from "vitest";
import type { ElementsPage } from "../../../../src/contracts/runs/run-comparison-api.ts";
import {
  compareElements,
  type ComparedPlace,
} from "../../../../src/domain/executions/compare/compare-elements.ts";
import { SeededRandom } from "../../../simulation/seeded-random.ts";

const WORLDS = 200;

interface Item {
  readonly indices: readonly number[];
  readonly state: string;
}

/** Items on two axes, in the order of their indices; some places are left out. */
function randomItems(random: SeededRandom): Item[] {
  return Array.from({ length: random.below(6) }, (_, outer) =>
    Array.from({ length: random.below(5) }, (_unused, inner) => ({
      indices: [outer, inner],
      state: random.pick(["a", "m", "p1", "p2"]),
    })),
  ).flat();
}

/** Pages of random lengths, empty ones too. */
function reader(items: readonly Item[], random: SeededRandom, reads: number[]) {
  return (from: number): Promise<ElementsPage> => {
    reads.push(from);
    const some = items.slice(from, from + random.int(1, 4));
    const next = from + some.length;
    return Promise.resolve({
      elements: some.map(({ state }) => state),
      indices: some.map(({ indices }) => indices),
      next: next < items.length ? next : null,
    });
  };
}

function reference(a: readonly Item[], b: readonly Item[]): unknown[] {
  const byKey = (items: readonly Item[]) =>
    new Map(items.map(({ indices, state }) => [String(indices), state]));
  const [inA, inB] = [byKey(a), byKey(b)];
  return [...new Set([...inA.keys(), ...inB.keys()])].toSorted().map((key) => {
    const [was, is] = [inA.get(key), inB.get(key)];
    const change =
      was === undefined
        ? "added"
        : is === undefined
          ? "removed"
          : was === is
            ? "same"
            : was.startsWith("p") && is.startsWith("p")
              ? "changed"
              : "state";
    return [key, change, was ?? null, is ?? null];
  });
}

describe("items of two runs", () => {
  it("are matched by their indices, in pages of any length", async () => {
    const seen = new Set<string>();
    for (let seed = 1; seed <= WORLDS; seed++) {
      const random = new SeededRandom(seed);
      const [a, b] = [randomItems(random), randomItems(random)];
      const places: ComparedPlace[] = [];
      const [readsA, readsB]: [number[], number[]] = [[], []];
      await compareElements(reader(a, random, readsA), reader(b, random, readsB), (place) => {
        places.push(place);
      });
      const found = places.map((place) => [
        String(place.indices),
        place.change,
        place.a?.state ?? null,
        place.b?.state ?? null,
      ]);
      expect([seed, found]).toEqual([seed, reference(a, b)]);
      // The element that an index names is that of the rows.
      for (const place of places) {
        expect(place.a === null || a[place.a.element]?.state === place.a.state).toBe(true);
        expect(place.b === null || b[place.b.element]?.state === place.b.state).toBe(true);
      }
      expect(new Set(readsA).size).toBe(readsA.length);
      expect(new Set(readsB).size).toBe(readsB.length);
      places.forEach(({ change }) => seen.add(change));
    }
    expect([...seen].toSorted()).toEqual(["added", "changed", "removed", "same", "state"]);
  });

  it("of one run alone are all added or removed", async () => {
    const random = new SeededRandom(1);
    const items: Item[] = [{ indices: [0, 0], state: "p1" }];
    for (const [isA, change] of [
      [true, "removed"],
      [false, "added"],
    ] as const) {
      const places: ComparedPlace[] = [];
      const read = reader(items, random, []);
      await compareElements(isA ? read : null, isA ? null : read, (place) => places.push(place));
      expect(places).toMatchObject([{ change, indices: [0, 0] }]);
    }
  });
});
