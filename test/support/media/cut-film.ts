/** Parts of films in memory, at places that are the same in every run. */
import { MemorySource } from "../../../src/lib/files/memory-source.ts";
import type { MediaPacket, MediaTrack } from "../../../src/media/container/media-track.ts";
import { writeMovie } from "../../../src/media/container/movie-writer.ts";
import { openMedia, requireVideoTrack } from "../../../src/media/container/open-media.ts";
import { videoSeconds } from "../../../src/media/container/video-seconds.ts";
import {
  copiedVideo,
  type CutMode,
  planVideoCut,
  type VideoCut,
} from "../../../src/media/cutting/cut-video.ts";
import { vp9Config } from "../../../src/media/cutting/vp9-config.ts";
import { editedBox } from "./box-file.ts";
import { codecFixture } from "./codec-fixtures.ts";
import { MemorySink } from "./memory-sink.ts";

/** A film of test/fixtures/codecs. */
const fixtures = [
  "h264-b-frames.mp4",
  "h264-open-gop.mov",
  "h264-interlaced.mp4",
  "h264-10-bit.mp4",
  "h264-ntsc.mp4",
  "h264-uneven.mp4",
  "h264-turned.mp4",
  "hevc-b-frames.mp4",
  "hevc-10-bit.mp4",
  "vp9.webm",
  "vp9-10-bit.webm",
  "vp9-444.webm",
  "av1.webm",
  "av1.mp4",
] as const;

/** Ticks of a picture of h264-b-frames.mp4, and of its movie. */
const [STEP, MOVIE_STEP] = [512, 40];
/** Edit lists of h264-b-frames.mp4: duration in ticks of the movie and start in ticks of the track, -1 for a pause. */
const EDITS: Readonly<Record<string, readonly (readonly [duration: number, start: number])[]>> = {
  "begins between two pictures": [[20 * MOVIE_STEP, 5 * STEP + STEP / 2]],
  "ends between two pictures": [[11 * MOVIE_STEP + MOVIE_STEP / 2, 4 * STEP]],
  "begins late and between two pictures": [
    [90, -1],
    [15 * MOVIE_STEP + 7, 6 * STEP + 100],
  ],
  "leaves out its middle": [
    [5 * MOVIE_STEP, 2 * STEP],
    [6 * MOVIE_STEP, 14 * STEP],
  ],
};

/** Films by what is special of them. */
export const CUT_FILMS: Readonly<Record<string, () => Uint8Array<ArrayBuffer>>> = {
  ...Object.fromEntries(fixtures.map((name) => [name, () => codecFixture(name)])),
  ...Object.fromEntries(
    Object.entries(EDITS).map(([name, edits]) => [
      `an MP4 that ${name}`,
      () => withEdits(codecFixture("h264-b-frames.mp4"), edits),
    ]),
  ),
  // Its first picture is presented later than 0, and its last one ends later than its durations add up to.
  "an MP4 without an edit list": () =>
    Uint8Array.from(
      editedBox(codecFixture("h264-b-frames.mp4"), "moov/trak/edts", () => undefined),
    ),
};

function withEdits(file: Uint8Array, edits: (typeof EDITS)[string]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(
    editedBox(file, "moov/trak/edts/elst", () => {
      const list = Buffer.alloc(8 + 12 * edits.length);
      list.writeUInt32BE(edits.length, 4);
      for (const [i, [duration, start]] of edits.entries()) {
        list.writeUInt32BE(duration, 8 + 12 * i);
        list.writeInt32BE(start, 12 + 12 * i);
        list.writeUInt32BE(0x1_0000, 16 + 12 * i);
      }
      return list;
    }),
  );
}

export interface OpenFilm {
  readonly container: "mp4" | "mov" | "webm";
  readonly track: MediaTrack;
  readonly seconds: number;
}

export async function openFilm(file: Uint8Array): Promise<OpenFilm> {
  const media = await openMedia(new MemorySource(file, "e"));
  const track = requireVideoTrack(media);
  await track.prepare();
  return {
    container: media.container as OpenFilm["container"],
    track,
    seconds: await videoSeconds(media),
  };
}

/** The configuration of VP9 in an MP4, from its first packet. */
export async function describedInMp4(track: MediaTrack): Promise<MediaTrack> {
  const { value } = await track.packets().next();
  return track.codec === "vp9" && track.picture !== null
    ? { ...track, config: vp9Config((value as MediaPacket).data, track.picture) }
    : track;
}

export interface CutFilm {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly cut: VideoCut;
  readonly track: MediaTrack;
}

/** The part of a film as the node writes it. */
export async function cutFilm(
  file: Uint8Array,
  start: number,
  end: number,
  mode: CutMode,
): Promise<CutFilm> {
  const { track, seconds, container: source } = await openFilm(file);
  const container = mode === "exact" && source === "webm" ? "mp4" : source;
  const cut = await planVideoCut(track, seconds, { start, end }, mode);
  const sink = new MemorySink();
  const isWithoutEdits = mode === "keyframe" || container === "webm";
  const described = container === source ? track : await describedInMp4(track);
  await writeMovie(container, [copiedVideo(described, cut, isWithoutEdits)], sink);
  return { bytes: sink.bytes(), cut, track };
}

/** Numbers from 0 to 1 that are the same in every run. */
export function* draws(seed: number): Generator<number> {
  for (let state = seed; ;) {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    yield state / 2 ** 32;
  }
}

/** Parts of a film of so many seconds; the first one reaches past its end. */
export function* partsOf(
  seconds: number,
  count: number,
): Generator<readonly [start: number, end: number]> {
  const random = draws(count);
  const draw = () => random.next().value as number;
  for (let turn = 0; turn < count; turn++) {
    const start = draw() * (seconds - 0.1);
    yield [start, turn === 0 ? 99 : start + 0.09 + draw() * 0.5];
  }
}
