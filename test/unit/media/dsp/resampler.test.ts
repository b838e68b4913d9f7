import { describe, expect, it } from "vitest";
import { convertSound, SoundConverter } from "../../../../src/media/dsp/convert-sound.ts";
import { Resampler } from "../../../../src/media/dsp/resampler.ts";
import { convolveModule } from "../../../support/media/wasm-modules.ts";

const convolve = convolveModule();

/** Usual ratios, ratios without a small common divisor, and the widest ones. */
const RATIOS = [
  [44_100, 48_000],
  [48_000, 44_100],
  [44_100, 96_000],
  [96_000, 44_100],
  [48_000, 16_000],
  [8_000, 48_000],
  [8_001, 48_000],
  [48_000, 8_001],
  [11_025, 192_000],
  [192_000, 8_000],
  [8_000, 192_000],
  [191_999, 22_050],
] as const;

function sine(frequency: number, rate: number, frames: number): Float32Array {
  return Float32Array.from({ length: frames }, (_, i) =>
    Math.sin(2 * Math.PI * frequency * (i / rate)),
  );
}

function resample(samples: Float32Array, from: number, to: number, pieceFrames = 8_192) {
  const resampler = new Resampler(convolve, from, to, 1);
  const pieces: Float32Array[] = [];
  for (let at = 0; at < samples.length; at += pieceFrames) {
    pieces.push(
      ...resampler.process([samples.subarray(at, at + pieceFrames)]).map((one) => one.slice()),
    );
  }
  pieces.push(...resampler.end().map((one) => one.slice()));
  const out = new Float32Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    out.set(piece, at);
    at += piece.length;
  }
  return out;
}

/** Of samples away from both ends: their part of this frequency, its phase at time 0, and the level of the rest in dB. */
function against(samples: Float32Array, frequency: number, rate: number, margin: number) {
  const step = (2 * Math.PI * frequency) / rate;
  const inside = samples.subarray(margin, samples.length - margin);
  let [ss, cc, sc, sy, cy] = [0, 0, 0, 0, 0];
  inside.forEach((y, i) => {
    const [s, c] = [Math.sin(step * (i + margin)), Math.cos(step * (i + margin))];
    [ss, cc, sc, sy, cy] = [ss + s * s, cc + c * c, sc + s * c, sy + s * y, cy + c * y];
  });
  // Least squares of a sine and a cosine, which are not orthogonal over a part of a period.
  const determinant = ss * cc - sc * sc;
  const sine = (sy * cc - cy * sc) / determinant;
  const cosine = (cy * ss - sy * sc) / determinant;
  let rest = 0;
  inside.forEach((y, i) => {
    const angle = step * (i + margin);
    rest += (y - sine * Math.sin(angle) - cosine * Math.cos(angle)) ** 2;
  });
  return {
    gainDb: 20 * Math.log10(Math.hypot(sine, cosine)),
    phase: Math.atan2(cosine, sine),
    restDb: 10 * Math.log10((2 * rest) / inside.length),
  };
}

describe.each(RATIOS)("resampling from %i to %i Hz", (from, to) => {
  const low = Math.min(from, to);
  const frames = Math.ceil((from / low) * 1_200);
  const margin = Math.ceil((to / low) * 150);

  it("keeps tones to 0.45 of the lower rate within 0.1 dB, undelayed, without images", () => {
    for (const share of [0.003, 0.11, 0.273, 0.4, 0.4499]) {
      const frequency = share * low;
      const out = resample(sine(frequency, from, frames), from, to);
      const { gainDb, phase, restDb } = against(out, frequency, to, margin);
      expect(Math.abs(gainDb), `gain at ${share}`).toBeLessThan(0.1);
      expect(Math.abs(phase), `phase at ${share}`).toBeLessThan(1e-5);
      expect(restDb, `rest at ${share}`).toBeLessThan(-90);
    }
  });

  it("gives round(n × to / from) frames for each number of frames", () => {
    for (const count of [1, 2, 3, 100, 1_023, 8_193]) {
      const silent = new Float32Array(count);
      expect(resample(silent, from, to).length, `${count}`).toBe(Math.round((count * to) / from));
    }
  });
});

describe("resampling to a lower rate", () => {
  it.each(RATIOS.filter(([from, to]) => from > to))(
    "from %i to %i Hz leaves less than -90 dB of tones above half of it",
    (from, to) => {
      const half = to / 2;
      const frames = Math.ceil((from / to) * 1_200);
      for (const share of [0.0005, 0.02, 0.3, 0.7, 0.99]) {
        const frequency = half + share * (from / 2 - half);
        const out = resample(sine(frequency, from, frames), from, to).slice(150, -150);
        const level = 10 * Math.log10((2 * out.reduce((sum, y) => sum + y * y, 0)) / out.length);
        expect(level, `${frequency} Hz`).toBeLessThan(-90);
      }
    },
  );
});

describe("resampling", () => {
  it("does not depend on the sizes of the blocks", () => {
    const noise = Float32Array.from({ length: 2_000 }, (_, i) => Math.sin(i * i * 0.37));
    for (const [from, to] of [
      [44_100, 48_000],
      [48_000, 8_001],
      [8_000, 192_000],
    ] as const) {
      const whole = resample(noise, from, to);
      for (const size of [1, 77, 1_999]) {
        const same = Buffer.from(resample(noise, from, to, size).buffer);
        expect(same.equals(Buffer.from(whole.buffer)), `${from} ${to} ${size}`).toBe(true);
      }
    }
  });

  it("keeps a constant as it is", () => {
    const out = resample(new Float32Array(3_000).fill(0.5), 44_100, 48_000).slice(200, -200);
    expect(out.every((value) => Math.abs(value - 0.5) < 1e-6)).toBe(true);
  });

  it("holds the same memory however long the sound is, and less than 6 MB", () => {
    for (const [from, to] of RATIOS) {
      const resampler = new Resampler(convolve, from, to, 2);
      const block = [new Float32Array(8_192), new Float32Array(8_192)];
      resampler.process(block);
      const { memoryBytes } = resampler;
      for (let i = 0; i < 3; i++) {
        resampler.process(block);
      }
      expect(resampler.memoryBytes).toBe(memoryBytes);
      expect(memoryBytes).toBeLessThan(6_000_000);
    }
  });
});

describe("a sound in another shape", () => {
  const convert = (block: readonly Float32Array[], from: number, to: number, channels: 1 | 2) => {
    const converter = new SoundConverter(
      convolve,
      { sampleRate: from, channels: block.length },
      { sampleRate: to, channels },
    );
    const blocks = [...converter.process(block)].map((each) => each.map((one) => one.slice()));
    return [...blocks, ...[...converter.end()].map((each) => each.map((one) => one.slice()))];
  };

  it("has blocks of at most 8,192 frames, each with all channels", () => {
    const sides = [new Float32Array(8_192), new Float32Array(8_192)];
    for (const [to, channels] of [
      [192_000, 2],
      [192_000, 1],
      [8_000, 2],
    ] as const) {
      const blocks = convert(sides, 8_000, to, channels);
      expect(blocks.every((block) => block.length === channels)).toBe(true);
      const lengths = blocks.map(([first]) => first?.length ?? 0);
      expect([Math.min(...lengths) > 0, Math.max(...lengths)]).toEqual([true, 8_192]);
      expect(lengths.reduce((sum, length) => sum + length, 0)).toBe((8_192 * to) / 8_000);
    }
  });

  it("is bit-exact if rate and channels stay", () => {
    const [left, right] = [sine(440, 48_000, 500), sine(441, 48_000, 500)];
    expect(convert([left, right], 48_000, 48_000, 2)).toEqual([[left, right]]);
  });

  it("is the same where a whole sound is converted", async () => {
    const block = [sine(440, 48_000, 4_000), sine(700, 48_000, 4_000)];
    const [from, to] = [
      { sampleRate: 48_000, channels: 2 },
      { sampleRate: 8_000, channels: 1 },
    ] as const;
    const blocks = async function* () {
      yield await Promise.resolve(block);
    };
    const found: Float32Array[] = [];
    for await (const [samples] of convertSound(convolve, blocks(), from, to)) {
      found.push(samples?.slice() ?? new Float32Array());
    }
    expect(found).toEqual(convert(block, 48_000, 8_000, 1).map(([samples]) => samples));
  });

  it("is mixed before it is resampled, or after, with the same result", () => {
    const [left, right] = [sine(440, 48_000, 4_000), sine(700, 48_000, 4_000)];
    const joined = (blocks: readonly (readonly Float32Array[])[], channel: number) =>
      blocks.flatMap((block) => [...(block[channel] ?? [])]);
    const mono = joined(convert([left, right], 48_000, 44_100, 1), 0);
    const apart = [left, right].map((side) => joined(convert([side], 48_000, 44_100, 1), 0));
    expect(mono.length).toBe(3_675);
    const error = mono.map((value, i) => value - ((apart[0]?.[i] ?? 0) + (apart[1]?.[i] ?? 0)) / 2);
    expect(Math.max(...error.map(Math.abs))).toBeLessThan(1e-6);
    const both = convert([left], 48_000, 44_100, 2);
    expect(joined(both, 0)).toEqual(joined(both, 1));
    expect(joined(both, 0)).toEqual(apart[0]);
  });
});
