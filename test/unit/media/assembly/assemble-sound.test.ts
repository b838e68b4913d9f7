import { describe, expect, test } from "vitest";
import type { AudioBlock } from "../../../../src/media/audio-block.ts";
import { assembleSound, type PlacedSound } from "../../../../src/media/assembly/assemble-sound.ts";

/** Deterministic numbers in [0, 1). */
function numbers(seed: number): () => number {
  let state = seed + 1;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return state / 0x8000_0000;
  };
}

interface Clip extends PlacedSound {
  readonly samples: readonly Float32Array[];
}

let opened = 0;
let openNow = 0;
let openAtMost = 0;

function clipOf(
  samples: readonly Float32Array[],
  place: Partial<PlacedSound>,
  blockFrames = 7,
): Clip {
  return {
    start: 0,
    frames: null,
    gain: 1,
    fadeIn: 0,
    fadeOut: 0,
    ...place,
    samples,
    async *open() {
      opened++;
      openNow++;
      openAtMost = Math.max(openAtMost, openNow);
      // One buffer for all blocks, as decoders have.
      const block = samples.map(() => new Float32Array(blockFrames));
      try {
        const length = samples[0]!.length;
        for (let at = 0; at < length; at += blockFrames) {
          await Promise.resolve();
          const count = Math.min(blockFrames, length - at);
          for (const [channel, channelSamples] of samples.entries()) {
            block[channel]!.fill(Number.NaN).set(channelSamples.subarray(at, at + count));
          }
          yield block.map((channelSamples) => channelSamples.subarray(0, count));
        }
      } finally {
        openNow--;
      }
    },
  };
}

async function gathered(blocks: AsyncIterable<AudioBlock>, channels: number): Promise<number[][]> {
  const all: number[][] = Array.from({ length: channels }, () => []);
  for await (const block of blocks) {
    for (const [channel, samples] of block.entries()) {
      all[channel]!.push(...samples);
    }
  }
  return all;
}

/** The definition: every sample of the sum by itself. */
function reference(clips: readonly Clip[], channels: number, frames: number | null): number[][] {
  const lengthOf = (clip: Clip) => Math.min(clip.frames ?? Infinity, clip.samples[0]!.length);
  const length = frames ?? Math.max(0, ...clips.map((clip) => clip.start + lengthOf(clip)));
  const sorted = clips.toSorted((a, b) => a.start - b.start);
  return Array.from({ length: channels }, (_none, channel) =>
    Array.from({ length }, (_zero, at) => {
      let sum = 0;
      for (const clip of sorted) {
        const i = at - clip.start;
        if (i >= 0 && i < lengthOf(clip)) {
          const rise = i < clip.fadeIn ? i / clip.fadeIn : 1;
          const left = (clip.frames ?? 0) - i;
          const fall = clip.fadeOut > 0 && left <= clip.fadeOut ? left / clip.fadeOut : 1;
          sum += clip.samples[channel]![i]! * (clip.gain * rise * fall);
        }
      }
      return Math.fround(sum);
    }),
  );
}

describe("a sum of placed sounds", () => {
  test.each(Array.from({ length: 200 }, (_none, seed) => seed))(
    "equals its definition in every sample (seed %i)",
    async (seed) => {
      const next = numbers(seed);
      const channels = 1 + Math.floor(next() * 2);
      const clips = Array.from({ length: Math.floor(next() * 12) }, () => {
        const length = 1 + Math.floor(next() * 90);
        const samples = Array.from({ length: channels }, () =>
          Float32Array.from({ length }, () => next() * 2 - 1),
        );
        const frames = next() < 0.5 ? null : 1 + Math.floor(next() * 100);
        return clipOf(
          samples,
          {
            start: Math.floor(next() * 150),
            frames,
            // As they are, with their edges faded, or neither: some of them alone.
            gain: next() < 0.6 ? 1 : next() * 2,
            fadeIn: next() < 0.6 ? 0 : Math.floor(next() * 10),
            fadeOut:
              frames === null || next() < 0.6 ? 0 : Math.floor(next() * Math.min(10, frames)),
          },
          1 + Math.floor(next() * 20),
        );
      });
      const frames = next() < 0.5 ? null : Math.floor(next() * 300);
      openAtMost = 0;
      const openMax = 1 + Math.floor(next() * 3);
      const sum = await gathered(
        assembleSound(clips, {
          channels,
          frames,
          windowFrames: 1 + Math.floor(next() * 64),
          openMax,
        }),
        channels,
      );
      expect(sum).toEqual(reference(clips, channels, frames));
      expect(openNow).toBe(0);
      // The one that is being read, besides those that stay open.
      expect(openAtMost).toBeLessThanOrEqual(openMax + 1);
    },
  );

  test("reads each sound once while few are open, and again what does not stay open", async () => {
    const ramp = [Float32Array.from({ length: 100 }, (_none, i) => i)];
    const clips = Array.from({ length: 8 }, () => clipOf(ramp, {}));
    opened = 0;
    await gathered(
      assembleSound(clips, { channels: 1, frames: null, windowFrames: 25, openMax: 8 }),
      1,
    );
    expect(opened).toBe(8);
    opened = 0;
    await gathered(
      assembleSound(clips, { channels: 1, frames: null, windowFrames: 25, openMax: 2 }),
      1,
    );
    // Four windows; six sounds are opened in each of the last three again.
    expect(opened).toBe(8 + 3 * 6);
  });

  test("of nothing is silence of its length, or nothing", async () => {
    expect(await gathered(assembleSound([], { channels: 2, frames: 3 }), 2)).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ]);
    expect(await gathered(assembleSound([], { channels: 1, frames: null }), 1)).toEqual([[]]);
  });

  test("closes every sound when one fails, and when nobody reads on", async () => {
    const fine = () => clipOf([new Float32Array(100)], {});
    const failing: PlacedSound = {
      ...fine(),
      async *open() {
        yield [new Float32Array(40)];
        await Promise.resolve();
        throw new Error("damaged");
      },
    };
    const options = { channels: 1, frames: null, windowFrames: 25 };
    await expect(gathered(assembleSound([fine(), failing, fine()], options), 1)).rejects.toThrow(
      "damaged",
    );
    expect(openNow).toBe(0);
    for await (const _block of assembleSound([fine(), fine()], options)) {
      break;
    }
    expect(openNow).toBe(0);
  });
});
