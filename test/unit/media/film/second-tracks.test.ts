/**
 * Films with several tracks of pictures and of sound: every node works on the first of each and drops the others
 * (docs/contract/media.md), whatever they are and however long.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scheduler } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, test, vi } from "vitest";
import { copiedTrack, type MovieContainer } from "../../../../src/media/container/movie-writer.ts";
import type { MovieTrack } from "../../../../src/media/container/movie-track.ts";
import {
  requireSoundTrack,
  requireVideoTrack,
} from "../../../../src/media/container/open-media.ts";
import { parseBoxes, withBox, writeBoxes } from "../../../support/media/box-file.ts";
import { codecFixture } from "../../../support/media/codec-fixtures.ts";
import {
  listPackets,
  md5Of,
  openBytes,
  writtenMovie,
} from "../../../support/media/copied-movie.ts";
import { FILM_WORKS } from "../../../support/media/film-works.ts";
import { HAS_FFMPEG, judge } from "../../../support/media/native-sound.ts";
import { mediaFixture } from "../../../support/media/read-codecs.ts";
import { resultContext } from "../../../support/results/result-context.ts";

beforeAll(() => {
  // The tools give their turn away with it, as in Workers; Node has it in a module.
  vi.stubGlobal("scheduler", scheduler);
});

afterAll(() => {
  vi.unstubAllGlobals();
});

const videoOf = async (bytes: Uint8Array) => requireVideoTrack(await openBytes(bytes));
const soundOf = async (bytes: Uint8Array) => requireSoundTrack(await openBytes(bytes));

interface Film {
  readonly container: MovieContainer;
  readonly video: MovieTrack;
  readonly sound: MovieTrack;
  /** Of another size and codec, and longer than the first. */
  readonly otherVideo: MovieTrack;
  readonly otherSound: MovieTrack;
}

/** The track with its packets several times in a row. */
async function repeated(bytes: Uint8Array, times: number): Promise<MovieTrack> {
  const track = await videoOf(bytes);
  const packets = await listPackets(track);
  const span = Math.max(...packets.map(({ dts, duration }) => dts + duration));
  return copiedTrack(track, {
    edits: track.edits.map(({ start }) => ({ start, duration: times * span })),
    heads: undefined,
    async *packets() {
      for (let round = 0; round < times; round++) {
        for await (const packet of track.packets()) {
          const later = round * span;
          yield { ...packet, pts: packet.pts + later, dts: packet.dts + later };
        }
      }
    },
  });
}

const isoFilm = (container: MovieContainer) => async (): Promise<Film> => ({
  container,
  video: copiedTrack(await videoOf(mediaFixture("h264-aac.mp4"))),
  sound: copiedTrack(await soundOf(mediaFixture("h264-aac.mp4"))),
  otherVideo: copiedTrack(await videoOf(codecFixture("hevc-b-frames.mp4"))),
  otherSound: copiedTrack(await soundOf(mediaFixture("flac.mp4"))),
});

const FILMS: readonly (readonly [name: string, film: () => Promise<Film>])[] = [
  ["MP4", isoFilm("mp4")],
  ["MOV", isoFilm("mov")],
  [
    "WebM",
    async () => ({
      container: "webm",
      // Longer than its sound, because the header of a WebM states the length of the longest track only.
      video: copiedTrack(await videoOf(codecFixture("vp8.webm"))),
      sound: copiedTrack(await soundOf(mediaFixture("vp8-opus.webm"))),
      otherVideo: await repeated(codecFixture("vp9.webm"), 3),
      otherSound: copiedTrack(await soundOf(mediaFixture("vorbis.webm"))),
    }),
  ],
];

/** What each node makes of a film: the name and the digest of every file, or the code of its failure. */
async function worksOn(bytes: Uint8Array, container: MovieContainer): Promise<readonly string[]> {
  const type = { mp4: "video/mp4", m4a: "video/mp4", mov: "video/quicktime", webm: "video/webm" };
  const results: string[] = [];
  for (const work of FILM_WORKS) {
    const made = resultContext();
    const given = made.add(`film.${container}`, type[container], bytes);
    try {
      // oxlint-disable-next-line no-await-in-loop -- node after node
      const files = await work(made.context.video, given);
      results.push(files.map((file) => `${file.name} ${md5Of(made.bytesOf(file))}`).join(", "));
    } catch (error) {
      results.push((error as { readonly code?: string }).code ?? String(error));
    }
  }
  return results;
}

describe.each(FILMS)("a film in %s", (_name, filmOf) => {
  test("with further tracks gives what it gives without them, in every node", async () => {
    const { container, video, sound, otherVideo, otherSound } = await filmOf();
    const alone = await worksOn(await writtenMovie(container, [video, sound]), container);
    const orders = [
      [video, sound, otherVideo, otherSound],
      [video, otherVideo, sound, otherSound],
    ];
    for (const tracks of orders) {
      // oxlint-disable-next-line no-await-in-loop -- film after film
      const bytes = await writtenMovie(container, tracks);
      // oxlint-disable-next-line no-await-in-loop -- same
      expect((await openBytes(bytes)).tracks).toHaveLength(4);
      // oxlint-disable-next-line no-await-in-loop -- same
      expect(await worksOn(bytes, container)).toEqual(alone);
    }
    // VP8 is not cut between its key frames; everything else makes files.
    const failed = alone.filter((result) => /^[A-Z_]+$/.test(result));
    expect(failed).toEqual(container === "webm" ? ["VIDEO_CUT_INEXACT"] : []);
  });

  test("with the other tracks first gives what these give: the order decides, and nothing else", async () => {
    const { container, video, sound, otherVideo, otherSound } = await filmOf();
    const [first, swapped, others] = [
      await worksOn(
        await writtenMovie(container, [video, sound, otherVideo, otherSound]),
        container,
      ),
      await worksOn(
        await writtenMovie(container, [otherVideo, otherSound, video, sound]),
        container,
      ),
      await worksOn(await writtenMovie(container, [otherVideo, otherSound]), container),
    ];
    expect(swapped).toEqual(others);
    for (const [at, result] of swapped.entries()) {
      expect(result).not.toBe(first[at]);
    }
  });
});

test("a first track of pictures that is not read is refused by its name, whatever follows it", async () => {
  const { video, sound, otherVideo } = await isoFilm("mp4")();
  const bytes = await writtenMovie("mp4", [video, otherVideo, sound]);
  const boxes = parseBoxes(bytes);
  const moov = boxes.find(({ type }) => type === "moov")?.content ?? [];
  const [first, ...others] = (Buffer.isBuffer(moov) ? [] : moov).filter(
    ({ type }) => type === "trak",
  );
  const unknown = withBox([first!], "trak/mdia/minf/stbl/stsd", (stsd) => {
    stsd.write("mp4v", 12, "latin1");
    return stsd;
  });
  const film = writeBoxes(
    withBox(boxes, "moov", (content) =>
      writeBoxes([
        ...parseBoxes(content).filter(({ type }) => type !== "trak"),
        ...unknown,
        ...others,
      ]),
    ),
  );
  // The sound alone is read all the same.
  expect(await worksOn(film, "mp4")).toEqual([
    ...Array(5).fill("MEDIA_CODEC_UNSUPPORTED"),
    expect.stringMatching(/^audio\.m4a/),
    "MEDIA_CODEC_UNSUPPORTED",
  ]);
  await expect(videoOf(film)).rejects.toMatchObject({
    message: expect.stringMatching(/"mp4v"/) as unknown,
  });
});

test("a Matroska file that is not a WebM is refused by the name of its kind", async () => {
  const webm = Buffer.from(codecFixture("vp9.webm"));
  // The name of the type is four bytes long in both.
  const at = webm.indexOf("webm", 0, "latin1");
  webm.write("mkv!", at, "latin1");
  await expect(openBytes(webm)).rejects.toMatchObject({
    code: "MEDIA_UNREADABLE",
    message: expect.stringMatching(/"mkv!" and not WebM.*Convert it/) as unknown,
  });
});

/** Films with two tracks of pictures that another program has put together, and the same film with the first of them alone. */
const MADE_ELSEWHERE = [
  ["mp4", "h264-aac.mp4", "hevc-b-frames.mp4"],
  ["mov", "h264-aac.mp4", "hevc-b-frames.mp4"],
  ["webm", "vp8-opus.webm", "vp9.webm"],
] as const;

describe("films of ffmpeg", () => {
  it.skipIf(!HAS_FFMPEG)("with a second track of pictures are read as without it", async () => {
    const folder = mkdtempSync(join(tmpdir(), "second-tracks-"));
    try {
      for (const [container, one, two] of MADE_ELSEWHERE) {
        const inputs = ["-i", `test/golden/media/${one}`, "-i", `test/fixtures/codecs/${two}`];
        const made = (name: string, ...tracks: readonly string[]) => {
          const path = join(folder, `${name}.${container}`);
          const maps = tracks.flatMap((track) => ["-map", track]);
          judge("ffmpeg", "-v", "error", ...inputs, ...maps, "-c", "copy", path);
          return new Uint8Array(readFileSync(path));
        };
        const both = made("both", "0:v", "1:v", "0:a");
        // oxlint-disable-next-line no-await-in-loop -- film after film
        const { tracks } = await openBytes(both);
        expect(tracks.map(({ kind }) => kind)).toEqual(["video", "video", "sound"]);
        for (const [film, alone] of [
          [both, made("alone", "0:v", "0:a")],
          [made("turned", "1:v", "0:v", "0:a"), made("other", "1:v", "0:a")],
        ] as const) {
          // oxlint-disable-next-line no-await-in-loop -- same
          const [found, expected] = [await picturesOf(film), await picturesOf(alone)];
          expect(found).toEqual(expected);
          // oxlint-disable-next-line no-await-in-loop -- same
          expect(
            (await worksOn(film, container)).filter((result) => result.includes(".")),
          ).toHaveLength(container === "webm" && film === both ? 6 : 7);
        }
        // oxlint-disable-next-line no-await-in-loop -- same
        expect(await picturesOf(both)).not.toEqual(await picturesOf(made("last", "1:v", "0:a")));
      }
      const mkv = join(folder, "film.mkv");
      judge("ffmpeg", "-v", "error", "-i", "test/fixtures/codecs/vp9.webm", "-c", "copy", mkv);
      await expect(openBytes(new Uint8Array(readFileSync(mkv)))).rejects.toMatchObject({
        code: "MEDIA_UNREADABLE",
        message: 'The file is "matroska" and not WebM, which is read. Convert it first.',
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

/** The MD5 of each packet of the pictures that are read. */
async function picturesOf(bytes: Uint8Array): Promise<readonly string[]> {
  return (await listPackets(await videoOf(bytes))).map(({ md5 }) => md5);
}
