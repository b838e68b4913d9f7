import { expect, test } from "vitest";
import { createPacer } from "../../../../durable-objects/run/create-pacer.ts";
import { CROWDED_SLICE_WORK_MAX, SLICE_WORK_MAX } from "../../../../src/engine/step/next-work.ts";

/** A run whose slices, and what others do after each, take so long; what it waited for, and how much it was given. */
async function pace(slices: number, sliceMs: number, isCrowded: (slice: number) => boolean) {
  const [waits, works] = [[] as number[][], [] as number[]];
  let [nowMs, slice] = [1_000_000, 0];
  const pacer = createPacer({
    isCrowded: () => isCrowded(slice),
    nowMs: () => nowMs,
    wait: (ms) => {
      waits.at(-1)?.push(ms);
      nowMs += ms === 0 ? sliceMs : ms;
      return Promise.resolve();
    },
  });
  for (; slice < slices; slice++) {
    works.push(pacer.sliceWorkMax());
    waits.push([]);
    await pacer.pause(slice + 1);
  }
  return { waits, works };
}

test("a run alone works in long slices and never rests", async () => {
  const { waits, works } = await pace(5, 30, () => false);
  expect(works).toEqual([1, 2, 3, 4, 5].map(() => SLICE_WORK_MAX));
  expect(waits).toEqual([[0], [0], [0], [0], [0]]);
});

test("a big run among others works in short slices and rests as long as each took, a small one not at all", async () => {
  const { waits, works } = await pace(5, 7, () => true);
  expect(works).toEqual([1, 2, 3, 4, 5].map(() => CROWDED_SLICE_WORK_MAX));
  expect(waits).toEqual([[0], [0], [0, 7], [0, 7], [0, 7]]);
});

test("it goes back to long slices as soon as the others are gone", async () => {
  const { waits, works } = await pace(5, 7, (slice) => slice < 3);
  expect(works.slice(2)).toEqual([CROWDED_SLICE_WORK_MAX, SLICE_WORK_MAX, SLICE_WORK_MAX]);
  expect(waits.slice(2)).toEqual([[0, 7], [0], [0]]);
});

test("a rest ends, however long a slice took and whichever way the clock was set", async () => {
  for (const [sliceMs, restMs] of [
    [5_000, 10],
    [0, 1],
    [-60_000, 1],
  ] as const) {
    expect((await pace(4, sliceMs, () => true)).waits.at(-1)).toEqual([0, restMs]);
  }
});
