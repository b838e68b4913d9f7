/** Sounds of every container and codec that is read, gapless (docs/contract/media.md). */
import { describe, expect, test } from "vitest";
import type { SoundInfo } from "../../../../src/media/container/open-sound.ts";
import { openSound } from "../../../../src/media/container/open-sound.ts";
import { MemorySource } from "../../../../src/lib/files/memory-source.ts";
import { DECODERS, mediaFixture } from "../../../support/media/read-codecs.ts";
import { ruledFrame, RULERS } from "../../../support/media/rulers.ts";
import { readSound } from "../../../support/media/read-sound.ts";
import {
  interleaved,
  SIGNAL_FRAMES,
  SIGNAL_RATE,
  testSignal,
} from "../../../support/media/test-signal.ts";
import { wavFile } from "../../../support/media/wav-file.ts";

type Expected = Partial<SoundInfo> & { readonly read: number };

/** 0.2 s of the signal. */
const SHORT = 8_820;
const AT_48000 = Math.ceil((SIGNAL_FRAMES * 48_000) / SIGNAL_RATE);
const SOURCE = testSignal();

/** `frames`: as the header states them; `read`: as they are decoded. */
const FILES: readonly (readonly [name: string, expected: Expected])[] = [
  // The encoder noted six frames less padding than it made.
  ["cbr.mp3", { container: "mp3", codec: "mp3", frames: 17_327, read: 17_327 }],
  ["no-note.mp3", { container: "mp3", codec: "mp3", frames: null, read: 17 * 1_152 }],
  ["mono-8000.mp3", { codec: "mp3", sampleRate: 8_000, channels: 1, frames: 3_142, read: 3_142 }],
  ["stereo.flac", { container: "flac", bitDepth: 16, frames: SIGNAL_FRAMES, read: SIGNAL_FRAMES }],
  ["flac.ogg", { container: "ogg", codec: "flac", bitDepth: 16, frames: SHORT, read: SHORT }],
  ["stereo.opus", { container: "ogg", codec: "opus", frames: AT_48000, read: AT_48000 }],
  ["surround.opus", { codec: "opus", channels: 6, frames: AT_48000, read: AT_48000 }],
  ["vorbis.ogg", { codec: "vorbis", frames: SIGNAL_FRAMES, read: SIGNAL_FRAMES }],
  ["adts.aac", { container: "adts", codec: "aac", frames: null, read: 18 * 1_024 }],
  ["aac.m4a", { container: "mp4", codec: "aac", frames: SIGNAL_FRAMES, read: SIGNAL_FRAMES }],
  ["alac.m4a", { container: "mp4", codec: "alac", bitDepth: 16, frames: SHORT, read: SHORT }],
  ["opus.mp4", { container: "mp4", codec: "opus", frames: AT_48000, read: AT_48000 }],
  ["flac.mp4", { container: "mp4", codec: "flac", bitDepth: 16, frames: SHORT, read: SHORT }],
  // The edit list of the encoder's container states this length.
  ["mp3.mov", { container: "mov", codec: "mp3", frames: 18_438, read: 18_438 }],
  ["pcm-s16.mov", { codec: "pcm_s16", bitDepth: 16, frames: SHORT, read: SHORT }],
  ["pcm-s24.mov", { codec: "pcm_s24", bitDepth: 24, frames: SHORT, read: SHORT }],
  // Without an edit list only the pre-skip is cut.
  ["fragments.mp4", { codec: "opus", frames: null, read: 20 * 960 - 312 }],
  ["opus.webm", { container: "webm", codec: "opus", frames: null, read: AT_48000 }],
  ["vorbis.webm", { container: "webm", codec: "vorbis", frames: null, read: 17_728 }],
  ["h264-aac.mp4", { container: "mp4", codec: "aac", frames: SIGNAL_FRAMES, read: SIGNAL_FRAMES }],
  ["vp8-opus.webm", { container: "webm", codec: "opus", frames: null, read: AT_48000 }],
];

/** Samples of the source as they are decoded without loss. */
function exact(frames: number): readonly Float32Array[] {
  return SOURCE.map((samples) => Float32Array.from(samples.subarray(0, frames), (s) => s / 32_768));
}

/** Power of the source over that of the difference, in dB, if the sound is `shift` frames late. */
function likeness(plane: Float32Array, shift: number): number {
  const [left] = SOURCE;
  let [signal, noise] = [0, 0];
  for (let i = 100; i < plane.length - 100 && i < left.length; i++) {
    const sample = (left[i] ?? 0) / 32_768;
    signal += sample ** 2;
    noise += (sample - (plane[i + shift] ?? 0)) ** 2;
  }
  return 10 * Math.log10(signal / noise);
}

describe("a sound", () => {
  test.each(FILES)("%s has the length that a player presents", async (name, expected) => {
    const { read, ...info } = expected;
    const sound = await readSound(mediaFixture(name), DECODERS);
    expect(sound.info).toMatchObject(info);
    expect(sound.frames).toBe(read);
    expect(sound.decodeErrors).toBe(0);
    expect(sound.planes).toHaveLength(sound.info.channels);
  });

  test.each(["stereo.flac", "flac.ogg", "flac.mp4", "pcm-s16.mov", "pcm-s24.mov"])(
    "%s has exactly the samples of its source",
    async (name) => {
      const sound = await readSound(mediaFixture(name), DECODERS);
      expect(sound.planes).toEqual(exact(sound.frames));
    },
  );

  test.each(["cbr.mp3", "mp3.mov"])("%s is aligned to its source to the frame", async (name) => {
    const { planes } = await readSound(mediaFixture(name), DECODERS);
    const [left = new Float32Array(0)] = planes;
    const found = [-2, -1, 0, 1, 2].map((shift) => likeness(left, shift));
    expect(found[2]).toBeGreaterThan(14);
    expect(found[2]).toBe(Math.max(...found));
  });

  test.each([
    // LAME's delay and half a window.
    ["cbr.mp3", 1_105],
    ["stereo.opus", 312],
    ["opus.mp4", 312],
    ["opus.webm", 312],
    ["aac.m4a", 1_024],
    ["vorbis.ogg", 0],
  ])("%s begins with the first frame that is presented", async (name, first) => {
    const { planes, frames } = await readSound(mediaFixture(name), RULERS);
    const [left = new Float32Array(0)] = planes;
    expect(ruledFrame(left[0] ?? 0)).toBe(first);
    expect(ruledFrame(left[frames - 1] ?? 0)).toBe(first + frames - 1);
  });

  test("is read again from its start", async () => {
    const reader = await openSound(new MemorySource(mediaFixture("cbr.mp3"), ""), DECODERS);
    const passes: number[][] = [];
    for (let pass = 0; pass < 2; pass++) {
      const samples: number[] = [];
      for await (const [left = []] of reader.blocks()) {
        samples.push(...left);
      }
      passes.push(samples);
    }
    expect(passes[0]).toHaveLength(17_327);
    expect(passes[1]).toEqual(passes[0]);
  });

  test("longer than accepted is rejected by its header, and while it is decoded", async () => {
    const stated = readSound(mediaFixture("aac.m4a"), RULERS, { maxSeconds: 0.3 });
    await expect(stated).rejects.toMatchObject({ code: "MEDIA_TOO_LONG" });
    const open = await openSound(new MemorySource(mediaFixture("adts.aac"), ""), RULERS, {
      maxSeconds: 0.3,
    });
    const read = async () => {
      for await (const block of open.blocks()) {
        expect(block).toHaveLength(2);
      }
    };
    await expect(read()).rejects.toMatchObject({ code: "MEDIA_TOO_LONG" });
  });

  test("stops when it is cancelled", async () => {
    const reader = await openSound(new MemorySource(mediaFixture("stereo.flac"), ""), DECODERS);
    const stop = new AbortController();
    const read = async () => {
      for await (const block of reader.blocks(stop.signal)) {
        expect(block).toHaveLength(2);
        stop.abort();
      }
    };
    await expect(read()).rejects.toThrow("aborted");
  });

  test("has the same samples, in however small ranges it is read", async () => {
    for (const name of ["stereo.opus", "stereo.flac", "cbr.mp3", "opus.webm", "pcm-s16.mov"]) {
      const whole = await readSound(mediaFixture(name), DECODERS);
      const parts = await readSound(mediaFixture(name), DECODERS, { blockBytes: 1_021 });
      expect(parts).toEqual(whole);
    }
    const wav = wavFile({ samples: interleaved(SOURCE) });
    const parts = await readSound(wav, DECODERS, { blockBytes: 1_021 });
    expect(parts.planes).toEqual(exact(SIGNAL_FRAMES));
  });
});
