/**
 * Damaged and made-up packets: each ends with samples, a picture or a refusal, in the memory that the decoder was given,
 * and other decoders are not affected.
 */
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { BLOCK_FRAMES_MAX } from "../../../../../src/media/audio-block.ts";
import {
  PictureDecoder,
  type PictureTrackConfig,
} from "../../../../../src/media/codec/ffmpeg/picture-decoder.ts";
import {
  FfmpegSoundDecoder,
  type SoundTrackConfig,
} from "../../../../../src/media/codec/ffmpeg/sound-decoder.ts";
import { SeededRandom } from "../../../../simulation/seeded-random.ts";
import { mutate } from "../../../../support/fuzz/mutate.ts";
import {
  codecFixture,
  ffmpegModules,
  readTrack,
} from "../../../../support/media/codec-fixtures.ts";
import { madeH264 } from "../../../../support/media/made-h264.ts";
import { sizeOf } from "../../../../support/sizes.ts";

const MB = 1024 * 1024;
const EXECUTIONS = sizeOf("mutatedPackets");

type Track = Awaited<ReturnType<typeof readTrack>>;

/** Packets of a track again and again, of which some are damaged, and a damaged configuration now and then. */
function* damagedPasses(track: Track, seed: number) {
  const random = new SeededRandom(seed);
  for (let left = EXECUTIONS; left > 0;) {
    const config =
      track.config !== null && random.chance(0.2) ? mutate(random, track.config) : track.config;
    const packets = track.packets
      .map(({ data, pts }) => ({ data: random.chance(0.4) ? mutate(random, data) : data, pts }))
      .filter(() => random.chance(0.97));
    left -= packets.length;
    yield { config, packets };
  }
}

describe("damaged packets of sound", () => {
  it.each(["aac-stereo.m4a", "aac-he-v2.aac", "alac-16.m4a", "vorbis-stereo.ogg"])(
    "of %s decode or do not",
    { timeout: 600_000 },
    async (name) => {
      const track = await readTrack(codecFixture(name));
      const codec = name.split("-")[0] as SoundTrackConfig["codec"];
      const digest = () => {
        const decoder = new FfmpegSoundDecoder(ffmpegModules.sound, { codec, ...track });
        const hash = createHash("md5");
        for (const { data } of track.packets) {
          for (const channel of decoder.decode(data) ?? []) {
            hash.update(channel);
          }
        }
        return hash.digest("hex");
      };
      const before = digest();
      const count = { decoded: 0, refused: 0, bytesMax: 0 };
      for (const { config, packets } of damagedPasses(track, 1)) {
        const decoder = new FfmpegSoundDecoder(ffmpegModules.sound, { codec, ...track, config });
        for (const { data } of packets) {
          const block = decoder.decode(data);
          count[block === null ? "refused" : "decoded"]++;
          expectWhole(block ?? [], decoder.channels);
          count.bytesMax = Math.max(count.bytesMax, decoder.memoryBytes);
        }
        expectWhole(decoder.flush(), decoder.channels);
        decoder.close();
        expect([decoder.decode(track.packets[0]!.data), decoder.memoryBytes]).toEqual([null, 0]);
      }
      expect(count.decoded).toBeGreaterThan(EXECUTIONS / 10);
      expect(count.refused).toBeGreaterThan(EXECUTIONS / 50);
      expect(count.bytesMax).toBeLessThanOrEqual(8 * MB);
      expect(digest()).toBe(before);
    },
  );
});

function expectWhole(block: readonly Float32Array[], channels: number): void {
  if (block.length === 0) {
    return;
  }
  const lengths = new Set(block.map(({ length }) => length));
  let isFinite = true;
  for (const samples of block) {
    for (const sample of samples) {
      isFinite &&= Number.isFinite(sample);
    }
  }
  const [length = 0] = lengths;
  if (
    block.length !== channels ||
    lengths.size !== 1 ||
    length < 1 ||
    length > BLOCK_FRAMES_MAX ||
    !isFinite
  ) {
    expect.fail(`${block.length} channels of ${[...lengths].join()} frames, finite: ${isFinite}`);
  }
}

describe("damaged packets of pictures", () => {
  it.each(["h264-b-frames.mp4", "h264-interlaced.mp4", "hevc-10-bit.mp4", "vp8.webm", "vp9.webm"])(
    "of %s decode or do not",
    { timeout: 600_000 },
    async (name) => {
      const track = await readTrack(codecFixture(name));
      const codec = name.split(/[-.]/)[0] as PictureTrackConfig["codec"];
      const open = (config: Uint8Array | null) =>
        new PictureDecoder(ffmpegModules.pictures, { codec, config, memoryBytesMax: 16 * MB });
      const received = (decoder: PictureDecoder, sum: (bytes: Uint8Array) => void) => {
        let count = 0;
        for (let next = decoder.receive(); next !== null; next = decoder.receive()) {
          next.planes.forEach(sum);
          count++;
        }
        return count;
      };
      const digest = () => {
        const decoder = open(track.config);
        const hash = createHash("md5");
        for (const { data, pts } of track.packets) {
          decoder.send(data, pts);
          received(decoder, (bytes) => hash.update(bytes));
        }
        return hash.digest("hex");
      };
      const before = digest();
      const count = { decoded: 0, refused: 0, bytesMax: 0, pictures: 0 };
      for (const { config, packets } of damagedPasses(track, 2)) {
        const decoder = open(config);
        for (const { data, pts } of packets) {
          count[decoder.send(data, pts) ? "decoded" : "refused"]++;
          count.pictures += received(decoder, (bytes) => bytes.at(-1));
          count.bytesMax = Math.max(count.bytesMax, decoder.memoryBytes);
        }
        decoder.flush();
        count.pictures += received(decoder, (bytes) => bytes.at(-1));
        decoder.close();
      }
      expect(count.pictures).toBeGreaterThan(EXECUTIONS / 10);
      expect(count.refused).toBeGreaterThan(EXECUTIONS / 100);
      expect(count.bytesMax).toBeLessThanOrEqual(16 * MB);
      expect(digest()).toBe(before);
    },
  );
});

describe("a picture whose header states", () => {
  const decode = (columns: number, rows: number, memoryBytesMax = 48 * MB) => {
    const decoder = new PictureDecoder(ffmpegModules.pictures, {
      codec: "h264",
      config: null,
      memoryBytesMax,
    });
    decoder.send(madeH264(columns, rows), 7);
    const { problem } = decoder;
    decoder.flush();
    return { picture: decoder.receive(), problem, memoryBytes: decoder.memoryBytes };
  };

  it("the size that it has is decoded", () => {
    const { picture, problem } = decode(1, 1);
    expect(problem).toBeNull();
    expect(picture).toMatchObject({ width: 16, height: 16, bitDepth: 8, pts: 7, isKey: true });
    const { planes, strides } = picture!;
    const rows = Array.from({ length: 16 }, (_, y) => planes[0][y * strides[0]]);
    expect(rows).toEqual(Array.from({ length: 16 }, (_, y) => 16 + y));
    expect([planes[1][0], planes[2].at(-1)]).toEqual([128, 128]);
  });

  it.each([
    [4_096, 4_096, "damaged"],
    [257, 256, "too_large"],
    [1_025, 64, "too_large"],
  ])("%i × %i macroblocks is refused before its memory is taken", (columns, rows, expected) => {
    const { picture, problem, memoryBytes } = decode(columns, rows);
    // Not the picture itself, which a failing test would print.
    expect([picture === null, problem]).toEqual([true, expected]);
    expect(memoryBytes).toBeLessThanOrEqual(3 * MB);
  });

  it("more than the decoder's memory holds is refused, and no other picture is", () => {
    const { picture, problem, memoryBytes } = decode(256, 256, 16 * MB);
    expect([picture === null, problem]).toEqual([true, "no_memory"]);
    expect(memoryBytes).toBeLessThanOrEqual(16 * MB);
    expect(decode(1, 1).problem).toBeNull();
  });
});

describe("a configuration", () => {
  it("of ALAC whose packets are larger than a block is refused", async () => {
    const { config, packets, ...shape } = await readTrack(codecFixture("alac-16.m4a"));
    const larger = config!.slice();
    new DataView(larger.buffer).setUint32(12, 16_384);
    for (const [given, expected] of [
      [config, 2],
      [larger, undefined],
      [config!.subarray(0, 30), undefined],
      [null, undefined],
    ] as const) {
      const decoder = new FfmpegSoundDecoder(ffmpegModules.sound, {
        codec: "alac",
        config: given,
        ...shape,
      });
      expect(decoder.decode(packets[0]!.data)?.length).toBe(expected);
      // A refused configuration does not start a decoder.
      expect(decoder.memoryBytes > 0).toBe(expected !== undefined);
    }
  });
});

describe("the memory of a decoder", () => {
  it.each(["aac-he-v2.aac", "vorbis-stereo.ogg"])(
    "does not grow over 100 passes of %s",
    async (name) => {
      const track = await readTrack(codecFixture(name));
      const codec = name.split("-")[0] as SoundTrackConfig["codec"];
      const decoder = new FfmpegSoundDecoder(ffmpegModules.sound, { codec, ...track });
      const sizes = Array.from({ length: 100 }, () => {
        for (const { data } of track.packets) {
          expect(decoder.decode(data)).not.toBeNull();
        }
        decoder.reset();
        return decoder.memoryBytes;
      });
      expect(new Set(sizes).size).toBe(1);
    },
  );

  it.each(["h264-b-frames.mp4", "vp9.webm"])("does not grow over 20 passes of %s", async (name) => {
    const track = await readTrack(codecFixture(name));
    const codec = name.split(/[-.]/)[0] as PictureTrackConfig["codec"];
    const decoder = new PictureDecoder(ffmpegModules.pictures, {
      codec,
      config: track.config,
      memoryBytesMax: 48 * MB,
    });
    const sizes = Array.from({ length: 20 }, () => {
      for (const { data, pts } of track.packets) {
        expect(decoder.send(data, pts)).toBe(true);
        while (decoder.receive() !== null) {
          // Only the memory matters here.
        }
      }
      decoder.reset();
      return decoder.memoryBytes;
    });
    expect(new Set(sizes.slice(1)).size).toBe(1);
  });
});
