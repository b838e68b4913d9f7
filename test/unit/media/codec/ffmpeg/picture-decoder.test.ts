import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  type Picture,
  PictureDecoder,
  type PictureTrackConfig,
} from "../../../../../src/media/codec/ffmpeg/picture-decoder.ts";
import {
  codecFixture,
  expectedHashes,
  ffmpegModules,
  readTrack,
} from "../../../../support/media/codec-fixtures.ts";

const MB = 1024 * 1024;

/** MD5 of the planes without the bytes between their rows, as ffmpeg's framemd5 has it. */
function hashOf(picture: Picture): string {
  const hash = createHash("md5");
  for (const [i, plane] of picture.planes.entries()) {
    const shift = i === 0 ? { x: 0, y: 0 } : picture.chromaShift;
    const bytes = -(-picture.width >> shift.x) * (picture.bitDepth > 8 ? 2 : 1);
    for (let y = 0; y < -(-picture.height >> shift.y); y++) {
      hash.update(plane.subarray(y * picture.strides[i]!, y * picture.strides[i]! + bytes));
    }
  }
  return hash.digest("hex");
}

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
      hashes.push(hashOf(picture));
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
