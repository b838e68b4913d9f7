/** Files that are damaged, lie or are not read (docs/contract/media.md). */
import { describe, expect, test } from "vitest";
import { MemorySource } from "../../../../src/lib/files/memory-source.ts";
import { openMedia } from "../../../../src/media/container/open-media.ts";
import { openSound } from "../../../../src/media/container/open-sound.ts";
import { hostileSounds, withSeekTable } from "../../../support/media/hostile-sounds.ts";
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

  test("is never retried, and its message has a sentence of its own", async () => {
    for (const { name, bytes, outcome } of hostileSounds().filter(
      (one) => one.outcome !== "read",
    )) {
      // oxlint-disable-next-line no-await-in-loop -- one after another
      const error: unknown = await readSound(bytes, DECODERS).catch((thrown: unknown) => thrown);
      expect(error, name).toMatchObject({ code: outcome, retryable: false });
      expect((error as Error).message, name).toMatch(/^[A-Z].{20,}\.$/s);
    }
  });

  test("leaves the next sound as it was", async () => {
    const before = await readSound(mediaFixture("stereo.opus"), DECODERS);
    for (const { bytes } of hostileSounds()) {
      await outcomeOf(bytes, DECODERS);
    }
    expect(await readSound(mediaFixture("stereo.opus"), DECODERS)).toEqual(before);
  });

  test("of FLAC has its samples whatever its seek table says", async () => {
    const file = mediaFixture("stereo.flac");
    const { planes, frames } = await readSound(file, DECODERS);
    expect(await readSound(withSeekTable(file), DECODERS)).toMatchObject({
      planes,
      frames,
      decodeErrors: 0,
    });
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

  test("of floats above 160 dB has silence there, and counts the frames", async () => {
    const samples = new Float32Array(2_000).fill(0.5);
    samples[100] = 1.1e8;
    samples[901] = -3e38;
    samples[902] = 9e7;
    const file = wavFile({ samples: new Uint8Array(samples.buffer), tag: 3, bits: 32 });
    const { planes, decodeErrors } = await readSound(file, DECODERS);
    expect(decodeErrors).toBe(2);
    expect([planes[0]?.[50], planes[1]?.[450], planes[0]?.[451]]).toEqual([0, 0, 9e7]);
  });

  test("is not silence for who stops at the last frame that is needed", async () => {
    const samples = new Float32Array(200_000).fill(0.5).fill(Number.NaN, 0, 2_100);
    const file = wavFile({ samples: new Uint8Array(samples.buffer), tag: 3, bits: 32 });
    const stopAfter = async (frames: number, bytes: Uint8Array) => {
      const reader = await openSound(new MemorySource(Uint8Array.from(bytes), "etag"), DECODERS);
      let read = 0;
      for await (const [left] of reader.blocks()) {
        read += left?.length ?? 0;
        if (read >= frames) {
          break;
        }
      }
    };
    await expect(stopAfter(100_000, file)).rejects.toMatchObject({ code: "MEDIA_UNREADABLE" });
    // Of the first frames all are damaged, and it is more than 1 % of the whole.
    await expect(stopAfter(1, file)).rejects.toMatchObject({ code: "MEDIA_UNREADABLE" });
    samples.fill(0.5, 1_800);
    const sound = wavFile({ samples: new Uint8Array(samples.buffer), tag: 3, bits: 32 });
    await stopAfter(1, sound);
    await stopAfter(100_000, sound);
  });

  test("of more than 1 GiB is refused before it is read", async () => {
    const file = wavFile({ samples: new Uint8Array(8) });
    const source = (sizeBytes: number) => {
      const metered = new MeteredSource(new MemorySource(Uint8Array.from(file), "etag"));
      return Object.defineProperty(metered, "sizeBytes", { value: sizeBytes });
    };
    const large = source(2 ** 30 + 1);
    await expect(openSound(large, DECODERS)).rejects.toMatchObject({ code: "FILE_TOO_LARGE" });
    await expect(openMedia(large)).rejects.toMatchObject({ code: "FILE_TOO_LARGE" });
    expect(large.reads).toBe(0);
    await openSound(source(2 ** 30), DECODERS);
  });

  test("of floats that are mostly not numbers is not a sound", async () => {
    const samples = new Float32Array(200).fill(Number.NaN);
    const file = wavFile({ samples: new Uint8Array(samples.buffer), tag: 3, bits: 32 });
    expect(await outcomeOf(file, DECODERS)).toBe("MEDIA_UNREADABLE");
  });
});
