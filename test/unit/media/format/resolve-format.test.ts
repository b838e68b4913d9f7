import { describe, expect, it } from "vitest";
import {
  SOUND_FORMAT_ENTRIES,
  SOUND_FORMATS,
  type SoundParameters,
} from "../../../../src/contracts/media/sound-formats.ts";
import {
  type InputSound,
  resolveFormat,
  supportedRate,
} from "../../../../src/media/format/resolve-format.ts";

const input = (sampleRate: number, channels: number, bitDepth: number | null): InputSound => ({
  sampleRate,
  channels,
  bitDepth,
});
const CD = input(44_100, 2, 16);
const resolved = (parameters: SoundParameters, ...inputs: readonly InputSound[]) => {
  const { sampleRate, channels, bitDepth, bitrateKbps } = resolveFormat(parameters, inputs);
  return [sampleRate, channels, bitDepth, bitrateKbps];
};

describe("the form of a written sound", () => {
  it("is that of the first input where nothing is set", () => {
    expect(resolved({ format: "wav" }, CD)).toEqual([44_100, 2, 16, null]);
    expect(resolved({ format: "wav" }, input(96_000, 1, 16), CD)).toEqual([96_000, 1, 16, null]);
    expect(resolved({ format: "flac" }, input(8_001, 6, null))).toEqual([8_001, 2, 16, null]);
  });

  it("has 24 bits if any input is PCM or lossless with more than 16", () => {
    for (const bits of [24, 32, 64, 17]) {
      expect(resolved({ format: "flac" }, CD, input(48_000, 2, bits))[2], `${bits}`).toBe(24);
    }
    for (const bits of [8, 16, null]) {
      expect(resolved({ format: "wav" }, CD, input(48_000, 2, bits))[2], `${bits}`).toBe(16);
    }
    expect(resolved({ format: "wav", bit_depth: 16 }, input(48_000, 2, 24))[2]).toBe(16);
    expect(resolved({ format: "wav", bit_depth: 32 }, CD)[2]).toBe(32);
    expect(resolved({ format: "mp3" }, input(48_000, 2, 24))[2]).toBeNull();
  });

  it("needs no input if rate and channels are set, and one otherwise", () => {
    expect(resolved({ format: "wav", sample_rate: 48_000, channels: 2 })).toEqual([
      48_000,
      2,
      16,
      null,
    ]);
    expect(() => resolveFormat({ format: "wav", channels: 1 }, [])).toThrow(RangeError);
    expect(() => resolveFormat({ format: "wav", sample_rate: 48_000 }, [])).toThrow(RangeError);
  });

  it("has the next higher rate of the format, or its highest", () => {
    for (let rate = 8_000; rate <= 192_000; rate += 77) {
      for (const format of SOUND_FORMATS) {
        const { sampleRates } = SOUND_FORMAT_ENTRIES[format];
        const higher = (sampleRates ?? [rate]).filter((each) => each >= rate);
        const expected = higher.length > 0 ? Math.min(...higher) : Math.max(...(sampleRates ?? []));
        expect(supportedRate(format, rate)).toBe(expected);
      }
    }
    const rates = (rate: number) => SOUND_FORMATS.map((format) => supportedRate(format, rate));
    expect(rates(44_100)).toEqual([44_100, 44_100, 44_100, 44_100, 48_000]);
    expect(rates(44_101)).toEqual([44_101, 44_101, 48_000, 48_000, 48_000]);
    expect(rates(48_001)).toEqual([48_001, 48_001, 48_000, 64_000, 48_000]);
    expect(rates(192_000)).toEqual([192_000, 192_000, 48_000, 96_000, 48_000]);
    expect(rates(8_000)).toEqual([8_000, 8_000, 8_000, 8_000, 48_000]);
  });

  it("has the bit rate of the format by its channels where none is set", () => {
    const kbps = (format: SoundParameters["format"], channels: 1 | 2) =>
      resolved({ format, channels }, CD)[3];
    expect(SOUND_FORMATS.map((format) => [kbps(format, 2), kbps(format, 1)])).toEqual([
      [null, null],
      [null, null],
      [192, 128],
      [160, 96],
      [128, 64],
    ]);
  });

  it("has the next lower bit rate of MP3 at its sample rate", () => {
    const kbps = (bitrate_kbps: number, sample_rate: number) =>
      resolved({ format: "mp3", bitrate_kbps, sample_rate }, CD)[3];
    expect([32, 39, 40, 144, 160, 161, 319, 320].map((asked) => kbps(asked, 44_100))).toEqual([
      32, 32, 40, 128, 160, 160, 256, 320,
    ]);
    expect([32, 144, 159, 160, 320].map((asked) => kbps(asked, 24_000))).toEqual([
      32, 144, 144, 160, 160,
    ]);
    expect([32, 63, 64, 65, 320].map((asked) => kbps(asked, 12_000))).toEqual([32, 56, 64, 64, 64]);
    // 32,000 Hz belongs to MPEG 1, 16,000 Hz to MPEG 2.
    expect([kbps(320, 32_000), kbps(320, 16_000)]).toEqual([320, 160]);
  });

  it("has at most the bits that a packet of AAC holds", () => {
    const kbps = (bitrate_kbps: number, sample_rate: number, channels: 1 | 2) =>
      resolved({ format: "m4a", bitrate_kbps, sample_rate, channels }, CD)[3];
    expect([kbps(320, 8_000, 1), kbps(320, 8_000, 2), kbps(320, 48_000, 1)]).toEqual([48, 96, 288]);
    expect([kbps(320, 48_000, 2), kbps(32, 8_000, 1)]).toEqual([320, 32]);
  });

  it("takes the bit rate of Opus as it is", () => {
    for (const asked of [16, 97, 510]) {
      expect(resolved({ format: "ogg", bitrate_kbps: asked }, CD)).toEqual([
        48_000,
        2,
        null,
        asked,
      ]);
    }
  });
});
