import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { readSoundMetadata } from "../../../../src/formats/sound/read-sound-metadata.ts";
import { MemorySource } from "../../../../src/lib/files/memory-source.ts";
import { FlacEncoder } from "../../../../src/media/codec/flac-encoder.ts";
import { mp3FrameBytes } from "../../../../src/media/codec/mp3-frame.ts";
import { createSoundWriter } from "../../../../src/media/container/sound-writer.ts";
import { roundBlock } from "../../../../src/media/dsp/rounding.ts";
import { MemorySink } from "../../../support/media/memory-sink.ts";
import { compiledCodec, soundEncoders } from "../../../support/media/sound-encoders.ts";
import { formatOf, tones, triedRates, writeSound } from "../../../support/media/written-sound.ts";

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset);
const textAt = (bytes: Uint8Array, at: number, length = 4) =>
  String.fromCharCode(...bytes.subarray(at, at + length));

/** Top-level boxes of an MP4, with their positions. */
function boxesOf(bytes: Uint8Array): { type: string; at: number; size: number }[] {
  const boxes = [];
  for (let at = 0; at < bytes.byteLength;) {
    const size = viewOf(bytes).getUint32(at);
    boxes.push({ type: textAt(bytes, at + 4), at, size });
    at += size;
  }
  return boxes;
}

/** The content of the first box of this type anywhere in a `moov`. */
function contentOf(bytes: Uint8Array, type: string): DataView {
  for (let at = 0; at < bytes.byteLength - 4; at++) {
    if (textAt(bytes, at) === type) {
      return new DataView(bytes.buffer, bytes.byteOffset + at + 4);
    }
  }
  throw new Error(`There is no ${type}.`);
}

describe("a written sound of each format and rate", () => {
  const cases = (["wav", "flac", "mp3", "m4a"] as const).flatMap((name) =>
    triedRates(name).flatMap((rate) =>
      ([1, 2] as const).map((channels) => ({ name, rate, channels })),
    ),
  );

  it.each(cases)(
    "$name at $rate Hz with $channels channels states its exact length",
    async (one) => {
      const frames = Math.round(one.rate / 3) + 7;
      const format = formatOf(one.name, one.rate, one.channels);
      const { bytes, ...written } = await writeSound(format, tones(one.rate, one.channels, frames));
      expect(written).toMatchObject({ frames, sizeBytes: bytes.byteLength });
      const found = await readSoundMetadata(new MemorySource(bytes, "a"));
      expect([found.format, found.sampleRate, found.channels]).toEqual([
        one.name,
        one.rate,
        one.channels,
      ]);
      expect(Math.round(found.seconds * one.rate)).toBe(frames);
    },
  );
});

describe("a written WAV", () => {
  it.each([16, 24] as const)(
    "of %i bits has the rounded samples and an even chunk",
    async (depth) => {
      const sound = tones(44_100, 1, 1_001);
      const { bytes, codec } = await writeSound(
        formatOf("wav", 44_100, 1, { bitDepth: depth }),
        sound,
        {
          blockFrames: 100,
        },
      );
      const view = viewOf(bytes);
      const expected = new Int32Array(1_001);
      roundBlock(sound, depth, expected);
      const step = depth / 8;
      const found = Array.from({ length: 1_001 }, (_, i) =>
        depth === 16
          ? view.getInt16(44 + i * 2, true)
          : view.getUint16(44 + i * 3, true) | (view.getInt8(46 + i * 3) << 16),
      );
      expect(found).toEqual([...expected]);
      expect([codec, textAt(bytes, 0), textAt(bytes, 36)]).toEqual([
        `pcm_s${depth}`,
        "RIFF",
        "data",
      ]);
      const dataBytes = 1_001 * step;
      expect([view.getUint32(40, true), view.getUint32(4, true)]).toEqual([
        dataBytes,
        36 + dataBytes + (dataBytes % 2),
      ]);
      expect(bytes.byteLength).toBe(44 + dataBytes + (dataBytes % 2));
    },
  );

  it("of 32 bits has the samples as they are, beyond full scale too", async () => {
    const sound = [Float32Array.of(0.1, -1.5, 3), Float32Array.of(0.2, 1e-30, -0)];
    const { bytes } = await writeSound(formatOf("wav", 8_001, 2, { bitDepth: 32 }), sound);
    const view = viewOf(bytes);
    expect([textAt(bytes, 38), view.getUint32(46, true), textAt(bytes, 50)]).toEqual([
      "fact",
      3,
      "data",
    ]);
    const samples = Array.from({ length: 6 }, (_, i) => view.getFloat32(58 + i * 4, true));
    expect(samples).toEqual([0.1, 0.2, -1.5, 1e-30, 3, -0].map(Math.fround));
  });
});

describe("a written FLAC", () => {
  it.each([
    [16, 44_100],
    [24, 96_001],
  ] as const)(
    "of %i bits at %i Hz has the MD5, the sizes and the length of its samples",
    async (depth, rate) => {
      const sound = tones(rate, 2, 20_001);
      const { bytes } = await writeSound(formatOf("flac", rate, 2, { bitDepth: depth }), sound, {
        blockFrames: 4_097,
      });
      const integers = new Int32Array(40_002);
      roundBlock(sound, depth, integers);
      const packed = Buffer.alloc(integers.length * (depth / 8));
      integers.forEach((value, i) => packed.writeIntLE(value, i * (depth / 8), depth / 8));
      const view = viewOf(bytes);
      expect([textAt(bytes, 0), view.getUint16(8), view.getUint16(10)]).toEqual([
        "fLaC",
        4_096,
        4_096,
      ]);
      expect(Buffer.from(bytes.subarray(26, 42)).toString("hex")).toBe(
        createHash("md5").update(packed).digest("hex"),
      );
      expect([view.getUint32(18) >>> 12, view.getUint32(22)]).toEqual([rate, 20_001]);
      const [min, max] = [view.getUint32(11) & 0xffffff, view.getUint32(14) & 0xffffff];
      expect(min > 0 && max >= min && bytes.byteLength < 42 + 30 + 5 * max).toBe(true);
    },
  );

  it("states in the heads of its frames only rates that fit there", () => {
    const [fits, exceeds] = [65_535, 65_537].map((sampleRate) => {
      const encoder = new FlacEncoder(
        compiledCodec("flac-encoder.wasm"),
        { sampleRate, channels: 1 },
        16,
      );
      return (
        [...encoder.encode(tones(sampleRate, 1, 8_192)), ...encoder.end()][0]?.data ??
        new Uint8Array()
      );
    });
    expect([(fits?.[2] ?? 0) & 15, (exceeds?.[2] ?? 0) & 15]).toEqual([13, 0]);
  });
});

describe("a written MP3", () => {
  it.each([
    [44_100, 2, 192],
    [48_000, 1, 32],
    [24_000, 2, 160],
    [8_000, 1, 64],
  ] as const)(
    "at %i Hz with %i channels and %i kbit/s has LAME's delay and padding",
    async (rate, channels, kbps) => {
      const frames = 12_345;
      const { bytes } = await writeSound(
        formatOf("mp3", rate, channels, { kbps }),
        tones(rate, channels, frames),
      );
      const view = viewOf(bytes);
      const perFrame = rate >= 32_000 ? 1_152 : 576;
      let count = 0;
      let at = 0;
      for (; at < bytes.byteLength; count++) {
        at += mp3FrameBytes(bytes, at) ?? Number.POSITIVE_INFINITY;
      }
      expect(at).toBe(bytes.byteLength);
      const info = 4 + (perFrame === 1_152 ? (channels === 1 ? 17 : 32) : channels === 1 ? 9 : 17);
      expect([textAt(bytes, info), textAt(bytes, info + 120, 9)]).toEqual(["Info", "LAME3.100"]);
      expect([view.getUint32(info + 8), view.getUint32(info + 12)]).toEqual([
        count - 1,
        bytes.byteLength,
      ]);
      expect(bytes[info + 120 + 20]).toBe(kbps);
      const delays = view.getUint32(info + 120 + 20) & 0xffffff;
      const [delay, padding] = [delays >> 12, delays & 0xfff];
      expect(delay).toBe(576);
      expect(delay + frames + padding).toBe((count - 1) * perFrame);
      // A decoder of layer III is 529 frames late, so the last samples come that much later.
      expect(padding).toBeGreaterThanOrEqual(529);
    },
  );
});

describe("a written M4A", () => {
  it("has moov before mdat, an edit list to the sample, and packets where it says", async () => {
    const { bytes } = await writeSound(formatOf("m4a", 44_100, 2), tones(44_100, 2, 50_001));
    expect(boxesOf(bytes).map(({ type }) => type)).toEqual(["ftyp", "moov", "mdat"]);
    const edits = contentOf(bytes, "elst");
    expect([4, 8, 12, 16].map((at) => edits.getUint32(at))).toEqual([1, 50_001, 1_024, 0x10000]);
    const [movie, media] = [contentOf(bytes, "mvhd"), contentOf(bytes, "mdhd")];
    const packets = Math.ceil(50_001 / 1_024) + 1;
    expect([movie.getUint32(12), movie.getUint32(16)]).toEqual([44_100, 50_001]);
    expect([media.getUint32(12), media.getUint32(16)]).toEqual([44_100, packets * 1_024]);
    const sizes = contentOf(bytes, "stsz");
    expect(sizes.getUint32(8)).toBe(packets);
    const mdat = boxesOf(bytes)[2];
    const all = Array.from({ length: packets }, (_, i) => sizes.getUint32(12 + i * 4));
    expect(all.reduce((sum, size) => sum + size, 8)).toBe(mdat?.size);
    const offsets = contentOf(bytes, "stco");
    expect([offsets.getUint32(4), offsets.getUint32(8)]).toEqual([2, (mdat?.at ?? 0) + 8]);
    const second = all.slice(0, 48).reduce((sum, size) => sum + size, (mdat?.at ?? 0) + 8);
    expect(offsets.getUint32(12)).toBe(second);
    const runs = contentOf(bytes, "stsc");
    expect(Array.from({ length: 7 }, (_, i) => runs.getUint32(4 + i * 4))).toEqual([
      2,
      1,
      48,
      1,
      2,
      packets - 48,
      1,
    ]);
  });

  it("of a long sound leaves room for moov, and no more than its bound needs", async () => {
    const packets = 9_000;
    const frames = packets * 1_024;
    const [known, unknown] = [await writePackets(packets, frames), await writePackets(packets)];
    for (const bytes of [known, unknown]) {
      expect(boxesOf(bytes).map(({ type }) => type)).toEqual(["ftyp", "moov", "free", "mdat"]);
      const mdat = boxesOf(bytes)[3];
      expect((mdat?.at ?? 0) + (mdat?.size ?? 0)).toBe(bytes.byteLength);
      const offsets = contentOf(bytes, "stco");
      expect(offsets.getUint32(8)).toBe((mdat?.at ?? 0) + 8);
      // The 49th packet begins the second chunk; each has the number that it was given.
      expect(viewOf(bytes).getUint32(offsets.getUint32(12))).toBe(48);
    }
    expect(boxesOf(known)[2]?.size).toBeLessThan(60);
    // 3,600 s of packets with 4 bytes each, of which some 200 s are used.
    expect(boxesOf(unknown)[2]?.size).toBeGreaterThan(600_000);
    const content = (bytes: Uint8Array) =>
      Buffer.from(bytes.subarray((boxesOf(bytes)[3]?.at ?? 0) + 8));
    expect(content(known).equals(content(unknown))).toBe(true);
    await expect(writePackets(packets, frames - 4_096)).rejects.toMatchObject({
      code: "MEDIA_TOO_LONG",
    });
  });
});

describe("the room for moov", () => {
  it("fits for each number of packets up to its bound", async () => {
    // 8,303 frames of 1,024, one of priming and two for the encoder are a whole number of chunks.
    for (let fewer = 0; fewer <= 6; fewer++) {
      const bytes = await writePackets(8_303 - fewer, 8_301 * 1_024);
      const boxes = boxesOf(bytes);
      expect(
        boxes.map(({ type }) => type),
        `${fewer}`,
      ).toEqual(["ftyp", "moov", "free", "mdat"]);
      expect((boxes[3]?.at ?? 0) + (boxes[3]?.size ?? 0)).toBe(bytes.byteLength);
    }
  });
});

/** An M4A of packets of 300 bytes that begin with their number. */
async function writePackets(packets: number, framesMax?: number): Promise<Uint8Array> {
  const sink = new MemorySink();
  let count = 0;
  const packet = () => {
    const data = new Uint8Array(300);
    new DataView(data.buffer).setUint32(0, count++);
    return { data, frames: 1_024 };
  };
  const aac = () => ({
    frameSize: 1_024,
    priming: 1_024,
    config: Uint8Array.of(0x11, 0x90),
    encode: () => [packet()],
    end: () => [packet()],
    close: () => undefined,
    memoryBytes: 0,
  });
  const format = formatOf("m4a", 48_000, 2);
  const writer = createSoundWriter(format, sink, { ...soundEncoders, aac }, framesMax);
  const block = [new Float32Array(1_024), new Float32Array(1_024)];
  for (let i = 0; i < packets; i++) {
    await writer.write(block);
  }
  await writer.end();
  return sink.bytes();
}

describe("any writer", () => {
  it("gives the same bytes for the same sound, whatever the blocks are", async () => {
    for (const name of ["wav", "flac", "mp3", "m4a"] as const) {
      const format = formatOf(name, 44_100, 2);
      const sound = tones(44_100, 2, 30_000);
      const [first, second] = [
        await writeSound(format, sound),
        await writeSound(format, sound, { blockFrames: 1_000 }),
      ];
      expect(Buffer.compare(first.bytes, second.bytes), name).toBe(0);
    }
  });

  it("refuses a sound without a sample, and a file of more than 2 GiB", async () => {
    for (const name of ["wav", "flac", "mp3", "m4a"] as const) {
      const format = formatOf(name, 44_100, 2);
      await expect(writeSound(format, [])).rejects.toMatchObject({ code: "MEDIA_EMPTY" });
      const sink = Object.assign(new MemorySink(), { sizeBytes: 2 * 1024 ** 3 - 1_000 });
      const writer = createSoundWriter(format, sink, soundEncoders);
      const writing = async () => {
        for (let i = 0; i < 30; i++) {
          await writer.write(tones(44_100, 2, 8_192));
        }
        await writer.end();
      };
      await expect(writing()).rejects.toMatchObject({ code: "FILE_TOO_LARGE" });
    }
  });
});
