/** Damaged sounds of each container end with their samples or with a code, and leave no memory in use. */
import { describe, expect, test } from "vitest";
import { NodeError } from "../../../../src/lib/errors/node-error.ts";
import { liveBytes } from "../../../support/datasets/live-bytes.ts";
import { fuzzReader } from "../../../support/fuzz/fuzz-reader.ts";
import { mutate } from "../../../support/fuzz/mutate.ts";
import { DECODERS, mediaFixture } from "../../../support/media/read-codecs.ts";
import { readSound } from "../../../support/media/read-sound.ts";
import { interleaved, testSignal } from "../../../support/media/test-signal.ts";
import { wavFile } from "../../../support/media/wav-file.ts";
import { executionsOf } from "../../../support/sizes.ts";

const CODES = new Set([
  "AUDIO_TRACK_MISSING",
  "MEDIA_CODEC_UNSUPPORTED",
  "MEDIA_EMPTY",
  "MEDIA_ENCRYPTED",
  "MEDIA_PARAMETERS_UNSUPPORTED",
  "MEDIA_TOO_LONG",
  "MEDIA_TRUNCATED",
  "MEDIA_UNREADABLE",
]);
const FILES: Readonly<Record<string, Uint8Array>> = {
  WAV: wavFile({ samples: interleaved(testSignal(2_000)) }),
  ...Object.fromEntries(
    [
      "cbr.mp3",
      "stereo.flac",
      "stereo.opus",
      "vorbis.ogg",
      "flac.ogg",
      "adts.aac",
      "aac.m4a",
      "opus.mp4",
      "pcm-s16.mov",
      "fragments.mp4",
      "opus.webm",
      "vp8-opus.webm",
    ].map((name) => [name, mediaFixture(name)]),
  ),
};
/** Marks of the formats, sizes that overflow, and heads of elements. */
const WORDS = [
  "OggS",
  "fLaC",
  "moov",
  "stsz",
  "moof",
  "data",
  "\u00ff\u00ff\u00ff\u00ff",
  "\u0001\u0000",
  "TAG",
  "ID3",
];

/** Bytes that may be in use after damaged sounds, more than before them. */
const GROWTH_MAX = 4 * 1024 * 1024;

/** A collection ends the sweeping of buffers that the one before it has begun. */
function settledBytes(): number {
  liveBytes();
  return liveBytes();
}

describe("a damaged sound", () => {
  test.each(Object.entries(FILES))(
    "%s ends with its samples or a code",
    { timeout: 300_000 },
    async (name, file) => {
      // The first sound of a process leaves modules and caches, which do not count as growth.
      await readSound(file, DECODERS);
      const report = await fuzzReader<Uint8Array, number>({
        name,
        seed: file.length,
        executions: executionsOf(40),
        draw: (random) => mutate(random, file, WORDS),
        read: async (bytes) => (await readSound(bytes, DECODERS)).frames,
        liveBytes: settledBytes,
        isRefusal: (error) => error instanceof NodeError && CODES.has(error.code),
        judge: (bytes, frames) =>
          frames !== undefined && frames > 40 * 65_536 * Math.max(1, bytes.length / 100)
            ? `${frames} frames of ${bytes.length} bytes`
            : undefined,
        show: (bytes) => Buffer.from(bytes.subarray(0, 400)).toString("base64"),
      });
      expect(report.findings).toEqual([]);
      expect(report.accepted + report.refused).toBe(report.executions);
      expect(report.peakLiveBytes).toBeLessThan(GROWTH_MAX);
    },
  );
});
