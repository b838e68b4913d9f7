import { OpusDecoder } from "opus-decoder";
import { describe, expect, it } from "vitest";
import { OpusEncoder } from "../../../../../src/media/codec/ffmpeg/opus-encoder.ts";
import type { EncodedSound } from "../../../../../src/media/codec/codec.ts";
import { ffmpegModules } from "../../../../support/media/codec-fixtures.ts";

const RATE = 48_000;

/** Tones of 300 and 1,100 Hz, one channel a fifth above the other. */
function tones(channels: 1 | 2, frames: number): Float32Array[] {
  return Array.from({ length: channels }, (_, channel) =>
    Float32Array.from({ length: frames }, (_, i) => {
      const time = (2 * Math.PI * (1 + channel / 2) * i) / RATE;
      return 0.3 * Math.sin(300 * time) + 0.2 * Math.sin(1_100 * time);
    }),
  );
}

/** Encodes in blocks of this many frames. */
function encode(sound: readonly Float32Array[], bitsPerSecond: number, blockFrames = 4_000) {
  const encoder = new OpusEncoder(ffmpegModules.opus, sound.length === 1 ? 1 : 2, bitsPerSecond);
  const packets: EncodedSound[] = [];
  for (let from = 0; from < sound[0]!.length; from += blockFrames) {
    packets.push(...encoder.encode(sound.map((of) => of.subarray(from, from + blockFrames))));
  }
  packets.push(...encoder.end());
  return { encoder, packets };
}

/** Decodes with a decoder that was compiled by others, without the first frames. */
async function decode(packets: readonly EncodedSound[], channels: 1 | 2, skip: number) {
  const decoder = new OpusDecoder({
    channels,
    streamCount: 1,
    coupledStreamCount: channels - 1,
    channelMappingTable: channels === 1 ? [0] : [0, 1],
    preSkip: 0,
  });
  await decoder.ready;
  const { channelData, samplesDecoded, errors } = decoder.decodeFrames(
    packets.map(({ data }) => data),
  );
  decoder.free();
  expect(errors).toEqual([]);
  expect(samplesDecoded).toBe(packets.length * 960);
  return channelData.map((samples) => samples.subarray(skip));
}

/** Signal to noise, in dB. */
function fidelity(sound: readonly Float32Array[], decoded: readonly Float32Array[]): number {
  let [signal, noise] = [0, 0];
  for (const [channel, samples] of sound.entries()) {
    for (const [i, sample] of samples.entries()) {
      signal += sample ** 2;
      noise += (sample - decoded[channel]![i]!) ** 2;
    }
  }
  return 10 * Math.log10(signal / noise);
}

describe("encoded sound", () => {
  it.each([
    [1, 64_000, 25],
    [2, 128_000, 25],
    [1, 16_000, 5],
    [2, 510_000, 38],
  ] as const)(
    "of %i channels at %i bit/s is that sound to another decoder, without delay",
    async (channels, bitsPerSecond, leastDb) => {
      // The last frames come out with one packet more than they fill.
      const sound = tones(channels, 23_900);
      const { encoder, packets } = encode(sound, bitsPerSecond);
      const decoded = await decode(packets, channels, encoder.priming);
      expect(decoded[0]!.length).toBeGreaterThanOrEqual(23_900);
      expect(decoded[0]!.length).toBeLessThan(23_900 + 960);
      expect(fidelity(sound, decoded)).toBeGreaterThan(leastDb);
      // The delay counts: one frame beside, the sound differs.
      const late = await decode(packets, channels, encoder.priming + 2);
      expect(fidelity(sound, late)).toBeLessThan(fidelity(sound, decoded) - 2);
      expect(encoder.memoryBytes).toBeLessThanOrEqual(2 * 1024 * 1024);
    },
  );

  it("has the stated bit rate", () => {
    const noise = Float32Array.from(
      { length: 5 * RATE },
      (_, i) => ((i * 2_654_435_761) % 1_000) / 1_000 - 0.5,
    );
    for (const bitsPerSecond of [32_000, 96_000, 256_000]) {
      const { packets } = encode([noise], bitsPerSecond);
      const bytes = packets.reduce((sum, { data }) => sum + data.length, 0);
      expect(Math.abs((bytes * 8) / 5 / bitsPerSecond - 1)).toBeLessThan(0.15);
    }
  });

  it("does not depend on the sizes of the blocks", () => {
    const sound = tones(2, 10_000);
    const [whole, ...others] = [10_000, 1, 959, 960, 961].map(
      (frames) => encode(sound, 96_000, frames).packets,
    );
    for (const other of others) {
      expect(other).toEqual(whole);
    }
  });

  it("of nothing has no packet, and of one frame has one", () => {
    expect(encode([new Float32Array(0)], 64_000).packets).toEqual([]);
    expect(encode([new Float32Array(1)], 64_000).packets).toHaveLength(1);
  });

  it("has a head with the delay, and a closed encoder holds no memory", () => {
    const { encoder } = encode(tones(2, 10), 64_000);
    const head = new DataView(encoder.config.buffer);
    expect(new TextDecoder().decode(encoder.config.subarray(0, 8))).toBe("OpusHead");
    expect([head.getUint8(8), head.getUint8(9), head.getUint16(10, true)]).toEqual([
      1,
      2,
      encoder.priming,
    ]);
    expect([head.getUint32(12, true), head.getInt16(16, true), head.getUint8(18)]).toEqual([
      RATE,
      0,
      0,
    ]);
    encoder.close();
    expect(encoder.memoryBytes).toBe(0);
    expect(() => encoder.encode([new Float32Array(1)])).toThrow("closed");
  });

  it("at a bit rate that Opus lacks is refused", () => {
    expect(() => new OpusEncoder(ffmpegModules.opus, 1, 0)).toThrow(RangeError);
  });
});
