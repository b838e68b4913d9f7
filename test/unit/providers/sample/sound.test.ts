import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { findSounds } from "../../../../src/providers/sample/sound/find-sounds.ts";
import { STEM_NAMES } from "../../../../src/contracts/models/model-calls.ts";
import { separateStems } from "../../../../src/providers/sample/sound/separate-stems.ts";
import {
  speak,
  speechMilliseconds,
  type SpeechRequest,
} from "../../../../src/providers/sample/sound/speak.ts";
import {
  openWav,
  type Sound,
  UnreadableSound,
} from "../../../../src/providers/sample/sound/wav-reader.ts";
import { wavHeader } from "../../../../src/providers/sample/sound/wav-writer.ts";

function spoken(changes: Partial<SpeechRequest> = {}): Buffer {
  return Buffer.concat([
    ...speak({ text: "Hello, you!", voice: "mid", speed: 1, pitch: 0, ...changes }),
  ]);
}

function samplesOf(wav: Buffer): Float32Array {
  return Float32Array.from(
    { length: (wav.length - 44) / 2 },
    (_, i) => wav.readInt16LE(44 + i * 2) / 32_768,
  );
}

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) {
    yield await Promise.resolve(bytes.subarray(at, at + size));
  }
}

/** A sound of these samples, in blocks of an odd size. */
function soundOf(samples: Float32Array, channels: number, sampleRate: number): Sound {
  return {
    channels,
    sampleRate,
    frames: samples.length / channels,
    async *blocks() {
      for (let at = 0; at < samples.length; at += 999 * channels) {
        yield await Promise.resolve(samples.subarray(at, at + 999 * channels));
      }
    },
    close: () => Promise.resolve(),
  };
}

/** Frequency of the largest correlation of a signal with itself. */
function fundamentalOf(samples: Float32Array, rate: number): number {
  let [best, period] = [-Infinity, 0];
  for (let lag = Math.floor(rate / 500); lag < rate / 50; lag++) {
    let sum = 0;
    for (let i = 0; i + lag < samples.length; i++) {
      sum += samples[i]! * samples[i + lag]!;
    }
    if (sum > best * 1.02) {
      [best, period] = [sum, lag];
    }
  }
  return rate / period;
}

describe("the sample voice", () => {
  test.each([
    ["ab", 1, 300],
    ["abcdefghij", 1, 600],
    ["  abcdefghij\n", 1, 600],
    ["abcde  \t fghij", 1, 720],
    ["abcdefghij.", 1, 850],
    ["ab cd, ef!", 1, 6 * 60 + 2 * 120 + 2 * 250],
    ["ÄÖ 漢字 ١٢ …", 1, 6 * 60 + 3 * 120 + 250],
    ["abcdefghijk", 2, 330],
    ["abcdefghijk", 0.7, 943],
    ["a-b_c(d)e f'g\u0301", 1, 7 * 60 + 120],
    ["", 1, 300],
  ])("speaks %j at speed %d for %d ms exactly", (text, speed, ms) => {
    expect(speechMilliseconds({ text, speed })).toBe(ms);
    expect(spoken({ text, speed }).length).toBe(44 + ms * 24 * 2);
  });

  test("is a WAV of 24 kHz, mono, 16 bit, byte by byte", () => {
    const wav = spoken();
    const header = Buffer.alloc(44);
    header.write("RIFF", 0, "latin1");
    header.writeUInt32LE(wav.length - 8, 4);
    header.write("WAVEfmt ", 8, "latin1");
    header.writeUInt32LE(16, 16);
    header.writeUInt16LE(1, 20);
    header.writeUInt16LE(1, 22);
    header.writeUInt32LE(24_000, 24);
    header.writeUInt32LE(48_000, 28);
    header.writeUInt16LE(2, 32);
    header.writeUInt16LE(16, 34);
    header.write("data", 36, "latin1");
    header.writeUInt32LE(wav.length - 44, 40);
    expect(wav.subarray(0, 44)).toEqual(header);
  });

  test.each([
    ["low", 0, 110],
    ["mid", 0, 165],
    ["high", 0, 220],
    ["mid", 12, 330],
    ["low", -12, 55],
  ] as const)("%s at pitch %d sounds at about %d Hz", (voice, pitch, hertz) => {
    const samples = samplesOf(spoken({ text: "aaaaaa", voice, pitch, speed: 0.5 }));
    // One tone of 120 ms without its ends.
    const found = fundamentalOf(samples.subarray(400, 2_500), 24_000);
    expect(found / hertz).toBeGreaterThan(0.94);
    expect(found / hertz).toBeLessThan(1.06);
  });

  test("is silent in white space and at marks, rises softly, and never clips", () => {
    const samples = samplesOf(spoken({ text: "aa aa" }));
    const pause = samples.subarray(120 * 24, 240 * 24);
    expect(Math.max(...pause)).toBe(0);
    expect(Math.abs(samples[5]!)).toBeLessThan(0.02);
    const loud = samplesOf(
      spoken({ text: "The quick brown fox jumps over the lazy dog 0123456789", pitch: 12 }),
    );
    const peak = loud.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
    expect(peak).toBeGreaterThan(0.2);
    expect(peak).toBeLessThan(0.95);
  });

  test("has the same bytes each time", () => {
    expect(spoken().equals(spoken())).toBe(true);
    expect(spoken({ pitch: 1 }).equals(spoken())).toBe(false);
    const digest = createHash("sha256").update(spoken()).digest("hex").slice(0, 16);
    expect(digest).toMatchInlineSnapshot(`"8612c59d38277308"`);
  });
});

describe("the sample transcript", () => {
  /** Seconds of tone and silence in turn, at this level in dBFS (of a sine). */
  function toneAt(seconds: readonly number[], level: number): Float32Array {
    const amplitude = Math.SQRT2 * 10 ** (level / 20);
    const parts = seconds.map((length, i) =>
      Float32Array.from({ length: Math.round(length * 8_000) }, (_, at) =>
        i % 2 === 0 ? Math.sin(at * 0.7) * amplitude : 0,
      ),
    );
    return Float32Array.from(parts.flatMap((part) => [...part]));
  }

  test("has a cue for each passage, joined over short gaps, within 40 ms", async () => {
    const samples = toneAt([0.5, 0.2, 0.3, 0.4, 0.25], -20);
    const cues = await findSounds(soundOf(samples, 1, 8_000));
    expect(cues.map(({ text }) => text)).toEqual(["[sample] sound", "[sample] sound"]);
    const times = cues.flatMap(({ start, end }) => [start, end]);
    for (const [i, time] of [0, 1, 1.4, 1.65].entries()) {
      expect(Math.abs(times[i]! - time)).toBeLessThanOrEqual(0.04);
    }
  });

  test.each([
    [-38, 1],
    [-42, 0],
  ])("finds %d dBFS in %d cues", async (level, count) => {
    expect(await findSounds(soundOf(toneAt([1], level), 1, 8_000))).toHaveLength(count);
  });

  test("of the sample voice follows its marks", async () => {
    const sound = await openWav(inPieces(spoken({ text: "one two. three" }), 1_000));
    expect(await findSounds(sound)).toEqual([
      { start: 0, end: 0.48, text: "[sample] sound" },
      { start: 0.84, end: 1.15, text: "[sample] sound" },
    ]);
  });
});

describe("the sample stems", () => {
  /** Seeded noise, tones and clicks in stereo. */
  function music(frames: number, channels: number): Float32Array {
    let state = 1;
    return Float32Array.from({ length: frames * channels }, (_, i) => {
      const frame = Math.floor(i / channels);
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      const click = frame % 5_000 < 40 ? (state / 2 ** 32 - 0.5) * 0.8 : 0;
      const side = i % channels === 0 ? 0.2 : -0.2;
      return (
        0.3 * Math.sin(frame * 0.0105) +
        0.2 * Math.sin(frame * 0.11) +
        side * Math.sin(frame * 0.23) +
        click
      );
    });
  }

  async function stemsOf(samples: Float32Array, channels: number) {
    const parts = { vocals: [], drums: [], bass: [], other: [] } as Record<string, number[]>;
    for await (const block of separateStems(soundOf(samples, channels, 44_100))) {
      for (const stem of STEM_NAMES) {
        parts[stem]!.push(...block[stem]);
      }
    }
    return parts as Record<(typeof STEM_NAMES)[number], number[]>;
  }

  const power = (samples: readonly number[]) =>
    samples.reduce((sum, value) => sum + value * value, 0);

  test.each([
    [1, 1],
    [100, 2],
    [1_024, 1],
    [1_025, 2],
    [9_001, 2],
    [6_000, 3],
  ])(
    "of %i frames and %i channels have that length and sum to the input",
    async (frames, channels) => {
      const samples = music(frames, channels);
      const stems = await stemsOf(samples, channels);
      for (const stem of STEM_NAMES) {
        expect(stems[stem]).toHaveLength(samples.length);
      }
      const worst = samples.reduce(
        (most, sample, i) =>
          Math.max(
            most,
            Math.abs(
              sample - stems.vocals[i]! - stems.drums[i]! - stems.bass[i]! - stems.other[i]!,
            ),
          ),
        0,
      );
      expect(worst).toBeLessThan(1e-6);
    },
  );

  test("have each kind of sound in its stem", async () => {
    const tone = (hertz: number, right: number) =>
      Float32Array.from(
        { length: 24_000 },
        (_, i) =>
          (i % 2 === 0 ? 1 : right) *
          0.4 *
          Math.sin((2 * Math.PI * hertz * Math.floor(i / 2)) / 44_100),
      );
    const clicks = Float32Array.from({ length: 24_000 }, (_, i) =>
      Math.floor(i / 2) % 3_000 < 6 ? 0.8 : 0,
    );
    const strongest = async (samples: Float32Array) => {
      const stems = await stemsOf(samples, 2);
      return STEM_NAMES.toSorted((a, b) => power(stems[b]) - power(stems[a]))[0];
    };
    expect(await strongest(tone(70, 1))).toBe("bass");
    expect(await strongest(tone(900, 1))).toBe("vocals");
    expect(await strongest(tone(900, -1))).toBe("other");
    expect(await strongest(tone(9_000, 1))).toBe("other");
    expect(await strongest(clicks)).toBe("drums");
  });
});

describe("a WAV", () => {
  const values = [0, 0.5, -0.5, 0.25, -1, 0.75];

  function encode(bits: 16 | 24 | 32, isFloat: boolean, extensible = false): Buffer {
    const step = bits / 8;
    const format = extensible ? 40 : 16;
    const data = Buffer.alloc(values.length * step);
    for (const [i, value] of values.entries()) {
      if (isFloat) {
        data.writeFloatLE(value, i * step);
      } else {
        data.writeIntLE(Math.round(value * 2 ** (bits - 1)), i * step, step);
      }
    }
    const head = Buffer.alloc(28 + format + 10);
    head.write("RIFF\0\0\0\0WAVELIST", 0, "latin1");
    // A chunk of an odd size before the format.
    head.writeUInt32LE(1, 16);
    const at = 22;
    head.write("fmt ", at, "latin1");
    head.writeUInt32LE(format, at + 4);
    head.writeUInt16LE(extensible ? 0xfffe : isFloat ? 3 : 1, at + 8);
    head.writeUInt16LE(2, at + 10);
    head.writeUInt32LE(48_000, at + 12);
    head.writeUInt16LE(step * 2, at + 20);
    head.writeUInt16LE(bits, at + 22);
    if (extensible) {
      head.writeUInt16LE(isFloat ? 3 : 1, at + 32);
    }
    head.write("data", at + 8 + format, "latin1");
    head.writeUInt32LE(data.length, at + 12 + format);
    return Buffer.concat([head.subarray(0, at + 16 + format), data]);
  }

  async function read(bytes: Uint8Array): Promise<number[]> {
    const sound = await openWav(inPieces(bytes, 7));
    expect([sound.channels, sound.frames, sound.sampleRate]).toEqual([2, 3, 48_000]);
    const found: number[] = [];
    for await (const block of sound.blocks()) {
      found.push(...block);
    }
    return found;
  }

  test.each([
    [16, false],
    [24, false],
    [32, false],
    [32, true],
  ] as const)(
    "of %i bits (float: %s) is read, also in the extensible format",
    async (bits, isFloat) => {
      expect(await read(encode(bits, isFloat))).toEqual(values);
      expect(await read(encode(bits, isFloat, true))).toEqual(values);
    },
  );

  test("of 32-bit float that is written here is read", async () => {
    const samples = Buffer.from(Float32Array.from(values).buffer);
    expect(await read(Buffer.concat([wavHeader("float32", 48_000, 2, 3), samples]))).toEqual(
      values,
    );
  });

  test.each([
    ["nothing", Buffer.alloc(0)],
    ["an MP3", Buffer.from("ID3\u0004".padEnd(200, "x"))],
    ["8 bits", Buffer.from(encode(16, false)).fill(8, 44, 45)],
    ["a cut file", encode(16, false).subarray(0, -1)],
    ["no channels", Buffer.from(encode(16, false)).fill(0, 32, 33)],
    ["a format chunk of 4 GiB", Buffer.from(encode(16, false)).fill(255, 26, 30)],
  ])("with %s is refused", async (_, bytes) => {
    await expect(read(bytes)).rejects.toThrow(UnreadableSound);
  });
});
