import { describe, expect, it } from "vitest";
import { looped, pairSounds } from "../../../../src/media/assembly/pair-sounds.ts";
import type { AudioBlock } from "../../../../src/media/audio-block.ts";

async function* soundOf(...blocks: readonly (readonly number[])[]): AsyncGenerator<AudioBlock> {
  for (const block of blocks) {
    await Promise.resolve();
    yield [Float32Array.from(block)];
  }
}

async function paired(first: AsyncIterable<AudioBlock>, second: AsyncIterable<AudioBlock>) {
  const [above, under]: [number[], number[]] = [[], []];
  for await (const [one, other] of pairSounds(first, second, 1, 7)) {
    above.push(...(one[0] ?? []));
    under.push(...(other[0] ?? []));
  }
  return [above, under];
}

describe("two sounds", () => {
  it("are as long as is asked for, with silence after the shorter one", async () => {
    expect(await paired(soundOf([1, 2], [], [3]), soundOf([4, 5, 6, 7, 8], [9, 10, 11]))).toEqual([
      [1, 2, 3, 0, 0, 0, 0],
      [4, 5, 6, 7, 8, 9, 10],
    ]);
  });

  it("of which one begins again at its end", async () => {
    const again = looped(() => soundOf([4, 5], [6]));
    expect(await paired(soundOf([1]), again)).toEqual([
      [1, 0, 0, 0, 0, 0, 0],
      [4, 5, 6, 4, 5, 6, 4],
    ]);
  });

  it("of which one has no frame to begin again with", async () => {
    let opened = 0;
    const nothing = looped(() => {
      opened++;
      if (opened > 1) {
        throw new Error("A sound without a frame was opened again.");
      }
      return soundOf([]);
    });
    expect(await paired(soundOf([1]), nothing)).toEqual([
      [1, 0, 0, 0, 0, 0, 0],
      [0, 0, 0, 0, 0, 0, 0],
    ]);
  });
});
