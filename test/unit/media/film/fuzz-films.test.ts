/** Damaged films in every node of videos: each ends with files that are read again, or with a code and nothing stored. */
import { scheduler } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { NodeError } from "../../../../src/lib/errors/node-error.ts";
import type { FileRef } from "../../../../src/lib/files/file-ref.ts";
import type { VideoTools } from "../../../../src/nodes/define-video-tools.ts";
import type { SeededRandom } from "../../../simulation/seeded-random.ts";
import { fuzzReader } from "../../../support/fuzz/fuzz-reader.ts";
import { mutate } from "../../../support/fuzz/mutate.ts";
import { codecFixture } from "../../../support/media/codec-fixtures.ts";
import { openBytes } from "../../../support/media/copied-movie.ts";
import { mediaFixture } from "../../../support/media/read-codecs.ts";
import { resultContext } from "../../../support/results/result-context.ts";
import { executionsOf } from "../../../support/sizes.ts";

beforeAll(() => {
  // The tools give their turn away with it, as in Workers; Node has it in a module.
  vi.stubGlobal("scheduler", scheduler);
});

afterAll(() => {
  vi.unstubAllGlobals();
});

const CODES = new Set([
  "AUDIO_TRACK_MISSING",
  "CONCAT_INCOMPATIBLE",
  "FILE_TOO_LARGE",
  "MEDIA_CODEC_UNSUPPORTED",
  "MEDIA_EMPTY",
  "MEDIA_ENCRYPTED",
  "MEDIA_PARAMETERS_UNSUPPORTED",
  "MEDIA_TOO_LONG",
  "MEDIA_TRUNCATED",
  "MEDIA_UNREADABLE",
  "SEGMENT_OUT_OF_RANGE",
  "VIDEO_CUT_INEXACT",
  "VIDEO_TRACK_MISSING",
]);

const FILMS: Readonly<Record<string, () => Uint8Array>> = {
  "h264-aac.mp4": () => mediaFixture("h264-aac.mp4"),
  "h264-open-gop.mov": () => codecFixture("h264-open-gop.mov"),
  "hevc-b-frames.mp4": () => codecFixture("hevc-b-frames.mp4"),
  "av1.mp4": () => codecFixture("av1.mp4"),
  "vp8-opus.webm": () => mediaFixture("vp8-opus.webm"),
  "vp9.webm": () => codecFixture("vp9.webm"),
};
/** Marks of boxes and elements, and sizes that overflow. */
const WORDS = [
  "moov",
  "trak",
  "elst",
  "ctts",
  "stss",
  "avcC",
  "\u00ff\u00ff\u00ff\u00ff",
  "\u0001\u0000",
  "\u0000\u0000\u0000\u0000",
];

type Work = (tools: VideoTools, film: FileRef) => Promise<readonly FileRef[]>;

const WORKS: readonly Work[] = [
  (tools, film) =>
    tools.split(
      film,
      [
        { start: 0.1, end: 0.3 },
        { start: 0, end: 100 },
      ],
      "exact",
    ),
  (tools, film) => tools.split(film, [{ start: 0.1, end: 0.3 }], "keyframe"),
  async (tools, film) => [
    await tools.thumbnail(film, 0.2, {
      format: "jpg",
      quality: 80,
      mode: "exact",
      width: undefined,
    }),
  ],
  async (tools, film) => [await tools.concat([film, film])],
  async (tools, film) => [
    await tools.muxAudio(film, film, {
      mode: "replace",
      audio_gain_db: 0,
      video_gain_db: 0,
      offset_seconds: 0,
      loop: false,
    }),
  ],
  async (tools, film) => [await tools.extractAudio(film, { format: "source" })],
  async (tools, film) => {
    const cues = [{ start: 0, end: 1, text: "a" }];
    const made = await tools.addSubtitles(
      film,
      { kind: "cues", cues },
      { language: "und", default: true, sidecar_format: "srt", offset_seconds: 0 },
    );
    return [made.video];
  },
];

/** Mostly a byte or two of the tables, which are a small part of a film. */
function damaged(random: SeededRandom, film: Uint8Array): Uint8Array {
  const bytes = Buffer.from(film);
  const at = bytes.indexOf("moov", undefined, "latin1");
  const from = Math.max(0, at);
  const to = Math.min(film.length, at < 0 ? 600 : at + 1_500);
  if (random.chance(0.2)) {
    return mutate(random, film, WORDS);
  }
  if (random.chance(0.2)) {
    const head = mutate(random, film.subarray(from, to), WORDS);
    return Uint8Array.from(Buffer.concat([bytes.subarray(0, from), head, bytes.subarray(to)]));
  }
  for (let changes = random.int(1, 2); changes > 0; changes--) {
    bytes[random.int(from, to - 1)] = random.pick([0, 1, 2, 0x7f, 0x80, 0xff, random.below(256)]);
  }
  return Uint8Array.from(bytes);
}

interface Damaged {
  readonly bytes: Uint8Array;
  readonly work: Work;
}

describe("a damaged film", () => {
  test.each(Object.entries(FILMS))(
    "%s ends with files that are read again, or with a code and nothing stored",
    { timeout: 600_000 },
    async (name, film) => {
      const whole = film();
      let failedWith = 0;
      const report = await fuzzReader<Damaged, void>({
        name,
        seed: whole.length,
        executions: executionsOf(50),
        draw: (random) => ({ bytes: damaged(random, whole), work: random.pick(WORKS) }),
        read: async ({ bytes, work }) => {
          const made = resultContext();
          const given = made.add(name, "video/mp4", bytes);
          try {
            for (const file of await work(made.context.video, given)) {
              if (!file.contentType.startsWith("image/")) {
                // oxlint-disable-next-line no-await-in-loop -- file after file
                await readAgain(made.bytesOf(file));
              }
            }
          } catch (error) {
            failedWith = made.count() - 1;
            throw error;
          }
        },
        isRefusal: (error) =>
          error instanceof NodeError && CODES.has(error.code) && failedWith === 0,
        show: ({ bytes, work }) =>
          `${WORKS.indexOf(work)} ${Buffer.from(bytes).toString("base64").slice(0, 600)}`,
      });
      expect(report.findings).toEqual([]);
      expect(report.accepted).toBeGreaterThan(0);
      expect(report.refused).toBeGreaterThan(0);
    },
  );
});

/** A file that was written is whole: a fault of its own is not a code of the source. */
async function readAgain(bytes: Uint8Array): Promise<void> {
  try {
    const { tracks } = await openBytes(bytes);
    for (const track of tracks) {
      // oxlint-disable-next-line no-await-in-loop -- track after track
      for await (const { data } of track.packets()) {
        expect(data.byteLength).toBeGreaterThanOrEqual(0);
      }
    }
  } catch (error) {
    throw new Error(`A written file is not read: ${String(error)}`, { cause: error });
  }
}
