import { expect, test } from "vitest";
import { createPacer } from "../../../../durable-objects/run/run-host.ts";
import { CONTENDED_SLICE_WORK_MAX, SLICE_WORK_MAX } from "../../../../src/engine/step/next-work.ts";

/** Pauses of a run of five slices, and the work allowed in each. */
async function pace(isContended: (slice: number) => boolean) {
  const [waits, works] = [[] as number[], [] as number[]];
  let slice = 0;
  const pacer = createPacer({
    isContended: () => isContended(slice),
    wait: (ms) => {
      waits.push(ms);
      return Promise.resolve();
    },
  });
  for (; slice < 5; slice++) {
    works.push(pacer.sliceWorkMax());
    await pacer.pause(slice + 1);
  }
  return { waits, works };
}

const [long, short] = [SLICE_WORK_MAX, CONTENDED_SLICE_WORK_MAX];

test("a run alone works in long slices without pauses", async () => {
  expect(await pace(() => false)).toEqual({
    works: [long, long, long, long, long],
    waits: [0, 0, 0, 0, 0],
  });
});

test("a big run among others works in short slices with pauses, a small one without pauses", async () => {
  const { waits, works } = await pace(() => true);
  expect(works).toEqual([short, short, short, short, short]);
  expect(waits.map((ms) => ms > 0)).toEqual([false, false, true, true, true]);
});

test("it returns to long slices as soon as the others have ended", async () => {
  const { waits, works } = await pace((slice) => slice < 3);
  expect(works).toEqual([short, short, short, long, long]);
  expect(waits.map((ms) => ms > 0)).toEqual([false, false, true, false, false]);
});
