import { describe, expect, it } from "vitest";
import { codecFixture } from "../../../support/media/codec-fixtures.ts";
import {
  CUT_FILMS,
  cutFilm,
  describedInMp4,
  openFilm,
  partsOf,
} from "../../../support/media/cut-film.ts";
import { shownPictures, shownSeconds } from "../../../support/media/shown-pictures.ts";
import { sizeOf } from "../../../support/sizes.ts";

describe("an exact part of a video", () => {
  it.each(Object.entries(CUT_FILMS))(
    "of %s has the pictures of the source and no other",
    async (_name, film) => {
      const file = film();
      const { track: source, seconds } = await openFilm(file);
      const all = await shownPictures(source);
      expect(all.length).toBeGreaterThan(8);
      for (const [start, end] of partsOf(seconds, sizeOf("videoSegments"))) {
        const { bytes } = await cutFilm(file, start, end, "exact");
        const { track } = await openFilm(bytes);
        const scale = source.timeScale;
        const wanted = all.filter(
          ({ time }) => time >= start * scale - 0.5 && time < end * scale - 0.5,
        );
        const found = await shownPictures(track);
        expect([start, found.map(({ hash }) => hash)]).toEqual([
          start,
          wanted.map(({ hash }) => hash),
        ]);
        const zero = wanted[0]?.time ?? 0;
        expect(found.map(({ time }) => (time * scale) / track.timeScale)).toEqual(
          wanted.map(({ time }) => time - zero),
        );
      }
    },
  );

  // A picture that is presented last may be decoded first: the end of a track is not the sum of its durations.
  it.each(["h264-interlaced.mp4", "h264-uneven.mp4"])(
    "of %s has its one to three pictures, wherever it begins",
    async (name) => {
      const file = codecFixture(name);
      const times = await shownSeconds((await openFilm(file)).track);
      for (const [i, start] of times.entries()) {
        for (const count of [1, 2, 3]) {
          const end = times[i + count] ?? 99;
          const wanted = times.slice(i, i + count).map((time) => (time - start).toFixed(4));
          const { track } = await openFilm((await cutFilm(file, start, end, "exact")).bytes);
          const found = (await shownSeconds(track)).map((time) => time.toFixed(4));
          expect([start, found]).toEqual([start, wanted]);
        }
      }
    },
  );

  it("is turned as its source is", async () => {
    const file = codecFixture("h264-turned.mp4");
    const { track: source } = await openFilm(file);
    const { track } = await openFilm((await cutFilm(file, 0.3, 0.6, "exact")).bytes);
    expect(source.picture?.rotation).toBe(270);
    expect(track.picture).toEqual(source.picture);
    expect(track.description).toEqual(source.description);
  });
});

describe("a part of open groups", () => {
  const file = codecFixture("h264-open-gop.mov");

  it("begins a group earlier where its first picture needs that", async () => {
    const all = await shownPictures((await openFilm(file)).track);
    const { bytes, cut } = await cutFilm(file, 0.4, 0.6, "exact");
    expect([cut.key.index, cut.isAtKey]).toEqual([0, false]);
    const found = await shownPictures((await openFilm(bytes)).track);
    expect(found.map(({ hash }) => hash)).toEqual(all.slice(10, 15).map(({ hash }) => hash));
  });

  it("leaves out pictures that need an earlier group", async () => {
    const { bytes, cut } = await cutFilm(file, 0.48, 0.6, "exact");
    expect([cut.key.index, cut.isAtKey]).toEqual([10, true]);
    const times: number[] = [];
    for await (const { pts } of (await openFilm(bytes)).track.packets()) {
      times.push(pts);
    }
    expect(Math.min(...times)).toBe(times[0]);
  });
});

const WITH_KEY_PICTURES = [
  ...Object.keys(CUT_FILMS).filter((name) => /\.(?:mp4|mov|webm)$/.test(name)),
  "vp8.webm",
];

describe("a part from a key picture on", () => {
  it.each(WITH_KEY_PICTURES)("of %s begins there, at 0", async (name) => {
    const file = codecFixture(name);
    const { track: source } = await openFilm(file);
    const all = await shownPictures(source);
    const { bytes, cut } = await cutFilm(file, 0.6, 0.8, "keyframe");
    const { track } = await openFilm(bytes);
    expect(track.edits).toEqual([]);
    const found = await shownPictures(track);
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
    const { config } = await describedInMp4((await openFilm(codecFixture(name))).track);
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
