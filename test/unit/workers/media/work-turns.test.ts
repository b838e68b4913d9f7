import { expect, test } from "vitest";
import { WorkTurns } from "../../../../src/workers/media/work-turns.ts";

const BLOCK = 1_000;

test("other work has its turn after each 48,000 frames, however small the blocks are", async () => {
  let turns = 0;
  const work = new WorkTurns(new AbortController().signal, () => {
    turns++;
    return Promise.resolve();
  });
  for (let frames = 0; frames < 480_000; frames += BLOCK) {
    expect(turns).toBe(Math.floor(frames / 48_000));
    await work.add(BLOCK);
  }
  expect(turns).toBe(10);
});

test("a cancel that arrives in such a turn ends the work there", async () => {
  const abort = new AbortController();
  const work = new WorkTurns(abort.signal, () => {
    abort.abort(new Error("cancelled"));
    return Promise.resolve();
  });
  await work.add(47_999);
  await expect(work.add(1)).rejects.toThrow("cancelled");
  await expect(work.add(1)).rejects.toThrow("cancelled");
});
