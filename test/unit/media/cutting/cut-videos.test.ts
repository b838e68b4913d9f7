import { describe, expect, it } from "vitest";
import { MemorySource } from "../../../../src/lib/files/memory-source.ts";
import { PictureDecoder } from "../../../../src/media/codec/ffmpeg/picture-decoder.ts";
import type { MediaPacket, MediaTrack } from "../../../../src/media/container/media-track.ts";
import { writeMovie } from "../../../../src/media/container/movie-writer.ts";
import { openMedia, requireVideoTrack } from "../../../../src/media/container/open-media.ts";
import { videoSeconds } from "../../../../src/media/container/video-seconds.ts";
import {
  copiedVideo,
  type CutMode,
  planVideoCut,
} from "../../../../src/media/cutting/cut-video.ts";
import { vp9Config } from "../../../../src/media/cutting/vp9-config.ts";
import { codecFixture, ffmpegModules } from "../../../support/media/codec-fixtures.ts";
import { MemorySink } from "../../../support/media/memory-sink.ts";
import { pictureHash } from "../../../support/media/picture-hash.ts";
import { sizeOf } from "../../../support/sizes.ts";

const FILMS = [
  "h264-b-frames.mp4",
  "h264-open-gop.mov",
  "h264-interlaced.mp4",
  "h264-10-bit.mp4",
  "hevc-b-frames.mp4",
  "hevc-10-bit.mp4",
  "vp9.webm",
  "vp9-10-bit.webm",
  "vp9-444.webm",
];

interface Shown {
  /** In ticks of the presentation. */
  readonly time: number;
  readonly hash: string;
}

async function open(file: Uint8Array): Promise<{ track: MediaTrack; seconds: number }> {
  const media = await openMedia(new MemorySource(file, "e"));
  const track = requireVideoTrack(media);
  await track.prepare();
  return { track, seconds: await videoSeconds(media) };
}

/** Every picture that is presented, by its edit list of one part, in order. */
async function picturesOf(track: MediaTrack): Promise<readonly Shown[]> {
  const [edit = { start: 0, duration: null }] = track.edits;
  const start = edit.start ?? 0;
  const end = edit.duration === null ? Number.POSITIVE_INFINITY : start + edit.duration;
  const decoder = new PictureDecoder(ffmpegModules.pictures, {
    codec: track.codec as "h264",
    config: track.codec?.startsWith("h") === true ? track.config : null,
    memoryBytesMax: 48 * 1024 * 1024,
  });
  const shown: Shown[] = [];
  const take = () => {
    for (let picture = decoder.receive(); picture !== null; picture = decoder.receive()) {
      if (picture.pts >= start && picture.pts < end) {
        shown.push({ time: picture.pts - start, hash: pictureHash(picture) });
      }
    }
  };
  for await (const { data, pts } of track.packets()) {
    decoder.send(data, pts);
    take();
  }
  decoder.flush();
  take();
  decoder.close();
  return shown;
}

/** The configuration of VP9 in an MP4, from its first packet. */
async function describedInMp4(track: MediaTrack): Promise<MediaTrack> {
  const { value } = await track.packets().next();
  return track.codec === "vp9" && track.picture !== null
    ? { ...track, config: vp9Config((value as MediaPacket).data, track.picture) }
    : track;
}

async function cutFilm(file: Uint8Array, start: number, end: number, mode: CutMode) {
  const { track, seconds } = await open(file);
  const source = (await openMedia(new MemorySource(file, "e"))).container as "mp4" | "webm";
  const container = mode === "exact" && source === "webm" ? "mp4" : source;
  const cut = await planVideoCut(track, seconds, { start, end }, mode);
  const sink = new MemorySink();
  const isWithoutEdits = mode === "keyframe" || container === "webm";
  const described = container === source ? track : await describedInMp4(track);
  await writeMovie(container, [copiedVideo(described, cut, isWithoutEdits)], sink);
  return { bytes: sink.bytes(), cut, track };
}

/** Numbers from 0 to 1 that are the same in every run. */
function* draws(seed: number): Generator<number> {
  for (let state = seed; ;) {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    yield state / 2 ** 32;
  }
}

describe("an exact part of a video", () => {
  it.each(FILMS)("of %s has the pictures of the source and no other", async (name) => {
    const file = codecFixture(name);
    const { track: source, seconds } = await open(file);
    const all = await picturesOf(source);
    const random = draws(name.length);
    for (let turn = 0; turn < sizeOf("videoSegments"); turn++) {
      const start = (random.next().value as number) * (seconds - 0.1);
      const end = turn === 0 ? 99 : start + 0.09 + (random.next().value as number) * 0.5;
      const { bytes } = await cutFilm(file, start, end, "exact");
      const { track } = await open(bytes);
      const scale = source.timeScale;
      const wanted = all.filter(
        ({ time }) => time >= start * scale - 0.5 && time < end * scale - 0.5,
      );
      const found = await picturesOf(track);
      expect([start, found.map(({ hash }) => hash)]).toEqual([
        start,
        wanted.map(({ hash }) => hash),
      ]);
      const zero = wanted[0]?.time ?? 0;
      expect(found.map(({ time }) => (time * scale) / track.timeScale)).toEqual(
        wanted.map(({ time }) => time - zero),
      );
    }
  });
});

describe("a part of open groups", () => {
  const file = codecFixture("h264-open-gop.mov");

  it("begins a group earlier where its first picture needs that", async () => {
    const all = await picturesOf((await open(file)).track);
    const { bytes, cut } = await cutFilm(file, 0.4, 0.6, "exact");
    expect([cut.key.index, cut.isAtKey]).toEqual([0, false]);
    const found = await picturesOf((await open(bytes)).track);
    expect(found.map(({ hash }) => hash)).toEqual(all.slice(10, 15).map(({ hash }) => hash));
  });

  it("leaves out pictures that need an earlier group", async () => {
    const { bytes, cut } = await cutFilm(file, 0.48, 0.6, "exact");
    expect([cut.key.index, cut.isAtKey]).toEqual([10, true]);
    const times: number[] = [];
    for await (const { pts } of (await open(bytes)).track.packets()) {
      times.push(pts);
    }
    expect(Math.min(...times)).toBe(times[0]);
  });
});

describe("a part from a key picture on", () => {
  it.each([...FILMS, "vp8.webm"])("of %s begins there, at 0", async (name) => {
    const file = codecFixture(name);
    const { track: source } = await open(file);
    const all = await picturesOf(source);
    const { bytes, cut } = await cutFilm(file, 0.6, 0.8, "keyframe");
    const { track } = await open(bytes);
    expect(track.edits).toEqual([]);
    const found = await picturesOf(track);
    expect(found[0]?.time).toBe(0);
    const at = all.findIndex(({ time }) => time === cut.from);
    expect(found[0]?.hash).toBe(all[at]?.hash);
    expect(cut.isAtKey).toBe(true);
    expect(found.length).toBeGreaterThan(3);
  });
});

describe("the configuration of VP9", () => {
  it.each([
    ["vp9.webm", 0, 8, 1],
    ["vp9-10-bit.webm", 2, 10, 1],
    ["vp9-444.webm", 1, 8, 3],
  ])("of %s has profile %i, %i bits and its colors", async (name, profile, bits, chroma) => {
    const { config } = await describedInMp4((await open(codecFixture(name))).track);
    expect([...config.subarray(0, 7)]).toEqual([
      1,
      0,
      0,
      0,
      profile,
      10,
      (bits << 4) | (chroma << 1),
    ]);
  });
});

describe("a segment of a video", () => {
  it.each([
    [0.96, 2, "SEGMENT_OUT_OF_RANGE"],
    [5, 6, "SEGMENT_OUT_OF_RANGE"],
    [0.41, 0.43, "MEDIA_EMPTY"],
  ])("from %d to %d s is %s", async (start, end, code) => {
    const file = codecFixture("h264-b-frames.mp4");
    await expect(cutFilm(file, start, end, "exact")).rejects.toMatchObject({ code });
  });

  it("holds a picture within half a tick of a bound", async () => {
    const file = codecFixture("h264-b-frames.mp4");
    const { cut, track } = await cutFilm(file, 0.200_02, 0.4, "exact");
    expect([cut.from / track.timeScale, cut.to / track.timeScale]).toEqual([0.2, 0.4]);
  });
});
