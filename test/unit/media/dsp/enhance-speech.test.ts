import { describe, expect, test } from "vitest";
import {
  checkEnhancement,
  createEnhancer,
  type EnhanceControls,
  type EnhanceProfile,
  enhanceResults,
  enhanceSettings,
  resolveEnhancement,
} from "../../../../src/media/dsp/enhance-speech.ts";
import { RealFourier } from "../../../../src/media/dsp/fourier.ts";
import { SpectralStage } from "../../../../src/media/dsp/spectral-stage.ts";
import { SpeechLevelMeter } from "../../../../src/media/dsp/speech-levels.ts";
import {
  amplitudeOf,
  blocksOf,
  decibelsOf,
  noise,
  pinkNoise,
  processed,
  rmsOf,
  silence,
  sine,
} from "../../../support/media/signals.ts";
import { speechAt24, speechAt48 } from "../../../support/media/speech.ts";
import { rnnoise } from "../../../support/media/wasm-modules.ts";

const PARTS = {
  rnnoise: rnnoise(),
  createConverter: () => {
    throw new Error("No rate is converted at 48 kHz.");
  },
};

function enhance(
  sampleRate: number,
  channels: readonly Float32Array[],
  profile: EnhanceProfile,
  controls: EnhanceControls = {},
) {
  const shape = { sampleRate, channels: channels.length };
  const enhancement = resolveEnhancement(profile, controls);
  const output = processed(createEnhancer(shape, enhancement, PARTS), channels);
  return {
    enhancement,
    output,
    before: levelsOf(sampleRate, channels),
    after: levelsOf(sampleRate, output),
  };
}

function levelsOf(sampleRate: number, channels: readonly Float32Array[]) {
  const meter = new SpeechLevelMeter({ sampleRate, channels: channels.length });
  for (const block of blocksOf(channels)) {
    meter.add(block);
  }
  return meter.result();
}

/** Speech in pink noise 20 dB below it. */
function noisy(speech: Float32Array, seed: number): Float32Array {
  const { speechLevelDb } = levelsOf(48_000, [speech]);
  const pink = pinkNoise(speech.length, amplitudeOf(speechLevelDb - 20), seed);
  return speech.map((sample, i) => sample + pink[i]!);
}

describe("speech in pink noise 20 dB below it", () => {
  test.each([
    ["light", 4],
    ["podcast", 10],
    ["dialogue", 15],
  ] as const)(
    "%s lowers pauses by at least %d dB and keeps speech within 3 dB",
    (profile, least) => {
      const left = noisy(speechAt48(), 1);
      const right = noisy(speechAt48(), 2);
      const { enhancement, output, before, after } = enhance(48_000, [left, right], profile);
      expect(output.map(({ length }) => length)).toEqual([left.length, right.length]);
      expect(before.noiseFloorDb - after.noiseFloorDb).toBeGreaterThanOrEqual(least);
      expect(Math.abs(after.speechLevelDb - before.speechLevelDb)).toBeLessThanOrEqual(3);
      const check = checkEnhancement(enhancement, before, after);
      expect(check.checks.map(({ passed }) => passed)).toEqual([true, true]);
      expect(enhanceResults(before, after)["noise_floor_before_db"]).toBeCloseTo(
        before.noiseFloorDb,
        3,
      );
    },
  );

  test.each([24_000, 48_000])("the spectral technique lowers pauses at %d Hz", (sampleRate) => {
    const speech = sampleRate === 48_000 ? speechAt48() : speechAt24();
    const { before, after } = enhance(sampleRate, [noisy(speech, 3)], "light", { denoiseMix: 1 });
    expect(before.noiseFloorDb - after.noiseFloorDb).toBeGreaterThanOrEqual(10);
    expect(Math.abs(after.speechLevelDb - before.speechLevelDb)).toBeLessThanOrEqual(2);
  });

  test("what is left of the noise has no single tones", () => {
    // Musical noise: bins that stand out for moments. The kurtosis of Gaussian noise is 3.
    const white = noise(48_000 * 4, 0.05, 5);
    const { output } = enhance(48_000, [white], "custom", {
      denoiseTechnique: "spectral",
      denoiseMix: 1,
    });
    const rest = output[0]!.subarray(48_000);
    const power = rest.reduce((sum, x) => sum + x ** 2, 0) / rest.length;
    const kurtosis = rest.reduce((sum, x) => sum + x ** 4, 0) / rest.length / power ** 2;
    expect(kurtosis).toBeLessThan(4);
    expect(decibelsOf(rmsOf(rest) / rmsOf(white))).toBeLessThan(-12);
  });
});

/** The delay at which two sounds are most alike, in frames. */
function delayOf(output: Float32Array, input: Float32Array): number {
  let best = 0;
  let most = 0;
  for (let delay = -600; delay <= 600; delay++) {
    let sum = 0;
    for (let i = 30_000; i < 60_000; i += 3) {
      sum += output[i + delay]! * input[i]!;
    }
    if (sum > most) {
      [best, most] = [delay, sum];
    }
  }
  return best;
}

describe("nothing is delayed", () => {
  test.each(["spectral", "neural"] as const)("by the %s technique", (denoiseTechnique) => {
    const speech = speechAt48();
    for (const denoiseMix of [0.5, 1]) {
      const { output } = enhance(48_000, [speech], "custom", { denoiseTechnique, denoiseMix });
      expect(Math.abs(delayOf(output[0]!, speech))).toBeLessThanOrEqual(2);
    }
  });

  test("by windows whose spectra do not change: the sound stays as it is", () => {
    for (const sampleRate of [8000, 44_100, 192_000]) {
      const sound = [noise(30_011, 0.5, 1), sine(sampleRate, 30_011 / sampleRate, 500, -6)];
      const stage = new SpectralStage({ sampleRate, channels: 2 }, () => undefined);
      const output = processed(stage, sound, 7);
      expect(output[0]!.length).toBe(30_011);
      const error = (c: number) =>
        output[c]!.reduce((max, x, i) => Math.max(max, Math.abs(x - sound[c]![i]!)), 0);
      expect(Math.max(error(0), error(1))).toBeLessThan(1e-6);
    }
  });

  test("a short sound has its length", () => {
    for (const profile of ["light", "podcast", "dialogue"] as const) {
      for (const frames of [1, 479, 480, 481, 8193]) {
        expect(enhance(48_000, [noise(frames, 0.1, 1)], profile).output[0]!.length).toBe(frames);
      }
    }
  });
});

describe("each step", () => {
  test("of the high pass takes 3 dB at its frequency and 12 dB an octave below", () => {
    const at = (hertz: number) => {
      const tone = sine(48_000, 2, hertz, -6);
      const { output } = enhance(48_000, [tone], "custom", { highpassHz: 200 });
      return decibelsOf(rmsOf(output[0]!.subarray(48_000)) / rmsOf(tone.subarray(48_000)));
    };
    expect(at(200)).toBeCloseTo(-3.01, 1);
    expect(at(100)).toBeCloseTo(-12.3, 1);
    expect(at(50)).toBeCloseTo(-24.1, 1);
    expect(at(2000)).toBeCloseTo(0, 1);
  });

  test("of the compressor turns a tone down by its ratio and leaves quiet ones", () => {
    const at = (db: number) => {
      const tone = sine(48_000, 1, 997, db);
      const { output } = enhance(48_000, [tone], "custom", {
        compressRatio: 4,
        compressThresholdDb: -20,
      });
      return decibelsOf(rmsOf(output[0]!.subarray(24_000)) / rmsOf(tone.subarray(24_000)));
    };
    expect(at(-8)).toBeCloseTo(-9, 0);
    expect(at(-21)).toBe(0);
  });

  test("of the de-esser turns hiss down by at most its depth, and no vowel", () => {
    const voice = sine(48_000, 1, 300, -9);
    // A band of noise about 1.5 kHz wide around 7 kHz.
    const raw = noise(48_016, 0.5, 3);
    const carrier = sine(48_000, 1, 7000, 0);
    const hiss = carrier.map(
      (x, i) => (x * raw.subarray(i, i + 16).reduce((sum, y) => sum + y, 0)) / 16,
    );
    const deessed = (sound: Float32Array) =>
      enhance(48_000, [sound], "custom", { deessDb: 6 }).output[0]!;
    expect(decibelsOf(rmsOf(deessed(voice)) / rmsOf(voice))).toBeCloseTo(0, 2);
    const reduction = decibelsOf(rmsOf(deessed(hiss).subarray(9600)) / rmsOf(hiss.subarray(9600)));
    expect(reduction).toBeLessThan(-5);
    expect(reduction).toBeGreaterThan(-6.01);
  });

  test("is that of the profile, unless a control outranks it", () => {
    expect(resolveEnhancement("light", {})).toEqual({
      denoise: { technique: "spectral", mix: 0.6 },
      highpassHz: 60,
      deessDb: null,
      compress: null,
    });
    expect(resolveEnhancement("podcast", {})).toEqual({
      denoise: { technique: "neural", mix: 0.85 },
      highpassHz: 80,
      deessDb: 4,
      compress: { ratio: 2, thresholdDb: -14 },
    });
    expect(resolveEnhancement("dialogue", { denoiseTechnique: "none", deessDb: 2 })).toEqual({
      denoise: null,
      highpassHz: 100,
      deessDb: 2,
      compress: { ratio: 1.5, thresholdDb: -14 },
    });
    expect(resolveEnhancement("custom", {})).toEqual({
      denoise: null,
      highpassHz: null,
      deessDb: null,
      compress: null,
    });
    expect(resolveEnhancement("custom", { denoiseMix: 0.3, compressRatio: 3 })).toMatchObject({
      denoise: { technique: "neural", mix: 0.3 },
      compress: { ratio: 3, thresholdDb: -20 },
    });
    expect(enhanceSettings("custom", resolveEnhancement("custom", {}))).toEqual({
      profile: "custom",
      denoise_technique: "none",
    });
    expect(enhanceSettings("light", resolveEnhancement("light", {}))["denoise_technique"]).toBe(
      "spectral",
    );
  });
});

test("without any step the sound keeps its bits, and silence stays silent", () => {
  const sound = [noise(20_000, 0.4, 1)];
  expect(enhance(48_000, sound, "custom").output).toEqual(sound);
  for (const profile of ["light", "podcast"] as const) {
    const { output, enhancement, before, after } = enhance(48_000, [silence(48_000, 1)], profile);
    expect(rmsOf(output[0]!)).toBeLessThan(1e-5);
    expect(checkEnhancement(enhancement, before, after).passed).toBe(true);
  }
});

test("a Fourier transform is that of its definition, and its inverse returns the signal", () => {
  const size = 64;
  const signal = Float64Array.from(noise(size, 1, 9));
  const [re, im] = [new Float64Array(size / 2 + 1), new Float64Array(size / 2 + 1)];
  const fourier = new RealFourier(size);
  fourier.forward(signal, re, im);
  for (let k = 0; k <= size / 2; k++) {
    const sum = (part: (angle: number) => number) =>
      signal.reduce((total, x, i) => total + x * part((2 * Math.PI * k * i) / size), 0);
    expect(re[k]).toBeCloseTo(sum(Math.cos), 10);
    expect(im[k]).toBeCloseTo(-sum(Math.sin), 10);
  }
  const back = new Float64Array(size);
  fourier.inverse(re, im, back);
  for (const [i, x] of signal.entries()) {
    expect(back[i]).toBeCloseTo(x, 12);
  }
});
