import { describe, expect, it } from "vitest";
import {
  PictureDecoder,
  type PictureTrackConfig,
} from "../../../../../src/media/codec/ffmpeg/picture-decoder.ts";
import {
  codecFixture,
  expectedHashes,
  ffmpegModules,
  readTrack,
} from "../../../../support/media/codec-fixtures.ts";
import { pictureHash } from "../../../../support/media/picture-hash.ts";

const MB = 1024 * 1024;

async function decodeFilm(name: string) {
  const { packets, config } = await readTrack(codecFixture(name));
  const codec = name.split(/[-.]/)[0] as PictureTrackConfig["codec"];
  const decoder = new PictureDecoder(ffmpegModules.pictures, {
    codec,
    config,
    memoryBytesMax: 48 * MB,
  });
  const hashes: string[] = [];
  const times: number[] = [];
  const take = () => {
    for (let picture = decoder.receive(); picture !== null; picture = decoder.receive()) {
      hashes.push(pictureHash(picture));
      times.push(picture.pts);
    }
  };
  const sent: boolean[] = [];
  for (const { data, pts } of packets) {
    sent.push(decoder.send(data, pts));
    take();
  }
  decoder.flush();
  take();
  return { hashes, times, packets, sent, memoryBytes: decoder.memoryBytes };
}

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

describe("decoded pictures", () => {
  it.each(FILMS)("of %s are those of native ffmpeg, in their order", async (name) => {
    const { hashes, times, packets, sent, memoryBytes } = await decodeFilm(name);
    expect(sent).not.toContain(false);
    expect(hashes).toEqual(expectedHashes(name));
    expect(hashes.length).toBeGreaterThan(10);
    expect(times).toEqual(packets.map(({ pts }) => pts).toSorted((a, b) => a - b));
    expect(memoryBytes).toBeLessThan(12 * MB);
  });
});

describe("a decoder of pictures", () => {
  /** Pictures of the packets from one on, by the time of each. */
  function picturesFrom(
    decoder: PictureDecoder,
    packets: readonly { readonly data: Uint8Array; readonly pts: number }[],
    skip = false,
  ): Map<number, string> {
    const found = new Map<number, string>();
    const take = () => {
      for (let picture = decoder.receive(); picture !== null; picture = decoder.receive()) {
        found.set(picture.pts, pictureHash(picture));
      }
    };
    for (const { data, pts } of packets) {
      decoder.send(data, pts, { skip });
      take();
    }
    decoder.flush();
    take();
    return found;
  }

  const open = (codec: PictureTrackConfig["codec"], config: Uint8Array | null) =>
    new PictureDecoder(ffmpegModules.pictures, { codec, config, memoryBytesMax: 48 * MB });

  it.each(["h264-b-frames.mp4", "hevc-b-frames.mp4"])(
    "of %s leaves out pictures that no other needs, and decodes the others as before",
    async (name) => {
      const { packets, config } = await readTrack(codecFixture(name));
      const codec = name.split("-")[0] as PictureTrackConfig["codec"];
      const all = picturesFrom(open(codec, config), packets);
      const needed = picturesFrom(open(codec, config), packets, true);
      expect(all.size).toBe(packets.length);
      expect(needed.size).toBeGreaterThan(5);
      expect(needed.size).toBeLessThan(all.size - 5);
      expect([...needed].filter(([pts, hash]) => all.get(pts) !== hash)).toEqual([]);
    },
  );

  it.each(["h264-b-frames.mp4", "hevc-10-bit.mp4", "vp8.webm", "vp9.webm"])(
    "of %s starts at a later key frame after a reset",
    async (name) => {
      const { packets, config } = await readTrack(codecFixture(name));
      const codec = name.split(/[-.]/)[0] as PictureTrackConfig["codec"];
      const decoder = open(codec, config);
      const all = picturesFrom(decoder, packets);
      const key = packets.findLastIndex(({ isKey }) => isKey);
      const { pts: start } = packets[key]!;
      decoder.reset();
      const later = picturesFrom(decoder, packets.slice(key));
      // Pictures before the key frame that are stored after it need those of the group before.
      const expected = [...all].filter(([pts]) => pts >= start);
      expect([key > 5, expected.length > 5]).toEqual([true, true]);
      expect([...later].filter(([pts]) => pts >= start)).toEqual(expected);
    },
  );

  it("states colors, range and the shape of pixels as the stream does", async () => {
    const { packets, config } = await readTrack(codecFixture("h264-b-frames.mp4"));
    const decoder = open("h264", config);
    for (const { data, pts } of packets.slice(0, 8)) {
      decoder.send(data, pts);
    }
    expect(decoder.receive()).toMatchObject({
      width: 98,
      height: 68,
      bitDepth: 8,
      chromaShift: { x: 1, y: 1 },
      isFullRange: false,
      matrix: 2,
      primaries: 2,
      transfer: 2,
      isKey: true,
      isDamaged: false,
    });
  });
});
