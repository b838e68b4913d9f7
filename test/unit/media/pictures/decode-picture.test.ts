import { describe, expect, it } from "vitest";
import { MemorySource } from "../../../../src/lib/files/memory-source.ts";
import type { MediaTrack } from "../../../../src/media/container/media-track.ts";
import { openMedia, requireVideoTrack } from "../../../../src/media/container/open-media.ts";
import { decodePicture } from "../../../../src/media/pictures/decode-picture.ts";
import { mediaTickAt, PictureFinder } from "../../../../src/media/pictures/presented-pictures.ts";
import { pixelAspect, shownSize } from "../../../../src/media/pictures/shown-size.ts";
import {
  codecFixture,
  expectedHashes,
  ffmpegModules,
} from "../../../support/media/codec-fixtures.ts";
import { pictureHash } from "../../../support/media/picture-hash.ts";

const FILMS = [
  "h264-b-frames.mp4",
  "h264-open-gop.mov",
  "h264-interlaced.mp4",
  "h264-10-bit.mp4",
  "hevc-b-frames.mp4",
  "hevc-10-bit.mp4",
  "vp8.webm",
  "vp9.webm",
  "vp9-10-bit.webm",
  "vp9-444.webm",
];
/** Pictures in a second; interlacing joins two of them. */
const rateOf = (name: string) => (name.includes("interlaced") ? 12.5 : 25);

async function trackOf(name: string): Promise<MediaTrack> {
  const track = requireVideoTrack(await openMedia(new MemorySource(codecFixture(name), "e")));
  await track.prepare();
  return track;
}

const hashAt = (track: MediaTrack, at: number, onlyKeys = false) =>
  decodePicture(ffmpegModules.pictures, track, { at, onlyKeys }, (picture) =>
    Promise.resolve(pictureHash(picture)),
  );

describe("the picture of a video at a time", () => {
  it.each(FILMS)("of %s is the one that native ffmpeg shows then", async (name) => {
    const track = await trackOf(name);
    const [hashes, rate] = [expectedHashes(name), rateOf(name)];
    for (const index of [0, 1, 7, 11, 12, 13, 20, hashes.length - 1].filter((i) => i in hashes)) {
      // Times of WebM are rounded to milliseconds.
      expect([index, await hashAt(track, index / rate + 0.000_4)]).toEqual([index, hashes[index]]);
      expect([index, await hashAt(track, (index + 0.9) / rate)]).toEqual([index, hashes[index]]);
    }
    expect(await hashAt(track, 1e9)).toBe(hashes.at(-1));
  });

  it.each(FILMS)("of %s is a key picture at or before it if that is asked for", async (name) => {
    const track = await trackOf(name);
    const rate = rateOf(name);
    const times: number[] = [];
    for await (const { pts, isKey } of track.packets()) {
      if (isKey) {
        times.push(pts);
      }
    }
    const first = track.edits[0]?.start ?? 0;
    const keys = times.map((pts) => Math.round(((pts - first) / track.timeScale) * rate));
    expect(keys[0]).toBe(0);
    const hashes = expectedHashes(name);
    for (const index of [0, 5, 11, 12, 13, 23]) {
      const key = keys.findLast((one) => one <= index) ?? 0;
      expect(await hashAt(track, index / rate + 0.001, true)).toBe(hashes[key]);
    }
  });

  it("decodes only from the key packet before it on", async () => {
    const track = await trackOf("h264-b-frames.mp4");
    let packets = 0;
    const counted: MediaTrack = {
      ...track,
      async *packets(range) {
        for await (const packet of track.packets(range)) {
          packets++;
          yield packet;
        }
      },
    };
    await hashAt(counted, 13 / 25);
    // It begins at packet 12, and the film has 24.
    expect(packets).toBeLessThanOrEqual(12);
  });

  it("is refused for a codec without a decoder", async () => {
    const track = { ...(await trackOf("vp9.webm")), codec: "av1", codecId: "av01" };
    await expect(hashAt(track, 0)).rejects.toMatchObject({
      code: "MEDIA_CODEC_UNSUPPORTED",
      message: expect.stringMatching(/av01.*H\.264, HEVC, VP8 and VP9/) as string,
    });
  });

  it("is refused where its packet is damaged", async () => {
    const track = await trackOf("h264-b-frames.mp4");
    const damaged: MediaTrack = {
      ...track,
      async *packets(range) {
        for await (const packet of track.packets(range)) {
          yield { ...packet, data: packet.data.map((byte, i) => (i < 8 ? byte : byte ^ 0x55)) };
        }
      },
    };
    await expect(hashAt(damaged, 0)).rejects.toMatchObject({ code: "MEDIA_UNREADABLE" });
  });
});

describe("a tick of the presentation", () => {
  const parts = [
    { start: null, frames: 10 },
    { start: 100, frames: 20 },
    { start: null, frames: 5 },
    { start: 50, frames: 5 },
  ];

  it.each([
    [0, 100],
    [9, 100],
    [10, 100],
    [29, 119],
    [30, 119],
    [34, 119],
    [35, 50],
    [39, 54],
    [40, 54],
    [1e9, 54],
  ])("%i is tick %i of the media", (tick, media) => {
    expect(mediaTickAt(parts, tick)).toBe(media);
  });
});

describe("a finder of pictures", () => {
  it("goes to the key packet before, for pictures that are presented before their own", () => {
    const finder = new PictureFinder(25, false);
    const packets: readonly [dts: number, pts: number, isKey: boolean][] = [
      [0, 10, true],
      [1, 20, false],
      [2, 40, true],
      [3, 25, false],
      [4, 30, false],
    ];
    for (const [dts, pts, isKey] of packets) {
      finder.add({ dts, pts, isKey });
    }
    expect(finder.found).toEqual({ index: 3, pts: 25, key: { index: 0, dts: 0, pts: 10 } });
  });

  it("passes over pictures before the first key picture", () => {
    const finder = new PictureFinder(0, false);
    finder.add({ dts: 0, pts: 10, isKey: true });
    finder.add({ dts: 1, pts: 5, isKey: false });
    expect(finder.found?.pts).toBe(10);
  });
});

describe("the size of a thumbnail", () => {
  it.each([
    [{ width: 1920, height: 1080 }, { x: 0, y: 1 }, 0, undefined, [1920, 1080]],
    [{ width: 720, height: 576 }, { x: 64, y: 45 }, 0, undefined, [1024, 576]],
    [{ width: 720, height: 576 }, { x: 64, y: 45 }, 90, undefined, [576, 1024]],
    [{ width: 1920, height: 1080 }, { x: 1, y: 1 }, 0, 641, [641, 361]],
    [{ width: 1920, height: 1080 }, { x: 1, y: 1 }, 270, 100, [100, 178]],
    [{ width: 4096, height: 2 }, { x: 1, y: 1 }, 0, 16, [16, 1]],
  ] as const)(
    "of %j with pixels %j, turned by %i, %s wide",
    (picture, aspect, turn, width, size) => {
      const shown = shownSize(picture, pixelAspect(aspect), turn, width);
      expect([shown.width, shown.height]).toEqual(size);
    },
  );
});
