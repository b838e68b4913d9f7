/** Files that are damaged, lie or are not read (docs/contract/media.md). */
import { describe, expect, test } from "vitest";
import { MemorySource } from "../../../../src/lib/memory-source.ts";
import { hostileSounds } from "../../../support/media/hostile-sounds.ts";
import { OPUS_PACKET_FRAMES, opusFile } from "../../../support/media/ogg-file.ts";
import { DECODERS, mediaFixture } from "../../../support/media/read-codecs.ts";
import { MeteredSource, outcomeOf, readSound } from "../../../support/media/read-sound.ts";
import { wavFile } from "../../../support/media/wav-file.ts";

const BLOCK_BYTES = 1024 * 1024;

describe("a hostile file", () => {
  test.each(hostileSounds())("$name ends with $outcome", async ({ bytes, outcome }) => {
    const source = new MeteredSource(new MemorySource(bytes, ""));
    expect(await outcomeOf(source, DECODERS)).toBe(outcome);
    // Each place of a small file is read once.
    expect(source.reads).toBeLessThanOrEqual(Math.ceil(bytes.length / BLOCK_BYTES) + 1);
    expect(source.bytes).toBeLessThanOrEqual(bytes.length + BLOCK_BYTES);
  });

  test("leaves the next sound as it was", async () => {
    const before = await readSound(mediaFixture("stereo.opus"), DECODERS);
    for (const { bytes } of hostileSounds()) {
      await outcomeOf(bytes, DECODERS);
    }
    expect(await readSound(mediaFixture("stereo.opus"), DECODERS)).toEqual(before);
  });

  test.each([
    ["a wrong checksum", { isWrong: true }],
    ["a hole", undefined],
  ])("with %s keeps its length, and counts the packet", async (_name, fault) => {
    const file = opusFile(300, (page, i) =>
      i === 99 ? (fault === undefined ? undefined : { ...page, ...fault }) : page,
    );
    const { frames, decodeErrors } = await readSound(file, DECODERS);
    expect(frames).toBe(300 * OPUS_PACKET_FRAMES - 312);
    expect(decodeErrors).toBe(1);
  });

  test("of floats with NaN and Infinity has silence there, and counts the frames", async () => {
    const samples = new Float32Array(2_000).fill(0.5);
    samples[100] = Number.NaN;
    samples[101] = Number.POSITIVE_INFINITY;
    samples[900] = Number.NEGATIVE_INFINITY;
    const file = wavFile({ samples: new Uint8Array(samples.buffer), tag: 3, bits: 32 });
    const { planes, decodeErrors } = await readSound(file, DECODERS);
    expect(decodeErrors).toBe(2);
    expect(planes[0]?.filter((sample) => sample === 0)).toHaveLength(2);
    expect(planes[1]?.filter((sample) => sample === 0)).toHaveLength(1);
    expect([planes[0]?.[49], planes[0]?.[50], planes[1]?.[50], planes[0]?.[450]]).toEqual([
      0.5, 0, 0, 0,
    ]);
  });

  test("of floats that are mostly not numbers is not a sound", async () => {
    const samples = new Float32Array(200).fill(Number.NaN);
    const file = wavFile({ samples: new Uint8Array(samples.buffer), tag: 3, bits: 32 });
    expect(await outcomeOf(file, DECODERS)).toBe("MEDIA_UNREADABLE");
  });
});
