import { describe, expect, test } from "vitest";
import { AudioQualityReport } from "../../../../src/contracts/media/audio-reports.ts";
import { QualityCheck } from "../../../../src/contracts/quality-check.ts";
import type { AudioBlock } from "../../../../src/media/audio-block.ts";
import {
  checkNormalization,
  normalizationResults,
  normalizeLoudness,
  type NormalizeSettings,
} from "../../../../src/media/dsp/normalize-loudness.ts";
import { buildQualityReport, truePeakDb } from "../../../../src/media/dsp/quality-report.ts";
import { METER_DEFAULTS } from "../../../../src/media/dsp/sound-meter.ts";
import {
  amplitudeOf,
  blocksOf,
  collected,
  decibelsOf,
  joined,
  noise,
  pinkNoise,
  randomNumbers,
  silence,
  sine,
} from "../../../support/media/signals.ts";

const SETTINGS: NormalizeSettings = {
  targetLufs: -16,
  truePeakDb: -1,
  mode: "two_pass",
  maxGainDb: 30,
};
const ORIGIN = { container: "wav", codec: "pcm_s16", bitDepth: 16, decodeErrors: 0 };

async function normalize(
  sampleRate: number,
  channels: readonly Float32Array[],
  changed: Partial<NormalizeSettings> = {},
) {
  const settings = { ...SETTINGS, ...changed };
  const shape = { sampleRate, channels: channels.length };
  const written: AudioBlock[] = [];
  let passes = 0;
  const result = await normalizeLoudness(
    async function* () {
      passes += 1;
      yield* blocksOf(channels, passes);
    },
    shape,
    settings,
    async (block) => {
      written.push(block.map((samples) => samples.slice()));
    },
  );
  expect(result.passes).toBe(passes);
  const report = (reading: typeof result.after) =>
    AudioQualityReport.parse(buildQualityReport(reading, METER_DEFAULTS, ORIGIN));
  const reports = { before: report(result.before), after: report(result.after) };
  const check = QualityCheck.parse(
    checkNormalization(reports, result, { ...settings, toleranceLu: 0.5 }),
  );
  const output = collected(written, channels.length);
  expect(output[0]!.length).toBe(channels[0]!.length);
  if (result.before.loudness.integrated !== null) {
    expect(truePeakDb(result.after) ?? -100).toBeLessThanOrEqual(settings.truePeakDb + 0.05);
  }
  return {
    ...result,
    output,
    check,
    passedChecks: passedOf(check),
    results: normalizationResults(result),
  };
}

const passedOf = (check: QualityCheck) =>
  check.checks.filter(({ passed }) => passed).map(({ id }) => id);
const ALL = ["measurable", "integrated_loudness", "true_peak", "gain_limited"];

/** Noise with the rhythm of speech: syllables, pauses between sentences, and changing levels. */
function speechLike(sampleRate: number, seconds: number, seed: number, stepsDb = 0): Float32Array {
  const next = randomNumbers(seed);
  const parts: Float32Array[] = [];
  let frames = 0;
  let level = 0;
  while (frames < seconds * sampleRate) {
    if (next() < 0.1) {
      level = stepsDb * (next() - 0.5);
    }
    const syllable = noise(
      Math.floor((0.08 + 0.15 * next()) * sampleRate),
      amplitudeOf(-20 + level + 6 * (next() - 0.5)),
      Math.floor(next() * 1e9),
    );
    const pause = silence(sampleRate, next() < 0.12 ? 0.3 + 0.5 * next() : 0.03);
    parts.push(syllable, pause);
    frames += syllable.length + pause.length;
  }
  return joined(...parts).subarray(0, seconds * sampleRate);
}

describe("two passes", () => {
  test("with room below the peak are one constant, within 0.1 LU", async () => {
    const sound = [pinkNoise(48_000 * 6, 0.02, 1), pinkNoise(48_000 * 6, 0.01, 2)];
    const { output, after, gainDb, limited, passes, passedChecks, results } = await normalize(
      48_000,
      sound,
      { targetLufs: -23 },
    );
    expect(Math.abs(after.loudness.integrated! + 23)).toBeLessThan(0.1);
    expect([limited, passes, passedChecks]).toEqual([false, 2, ALL]);
    const gain = amplitudeOf(gainDb);
    expect(output[0]).toEqual(sound[0]!.map((sample) => sample * gain));
    expect(results).toMatchObject({ limited: false, limiter_max_reduction_db: 0, passes: 2 });
  });

  test.each([-16, -10, -9])(
    "with peaks above the ceiling reach %d LUFS with the limiter",
    async (targetLufs) => {
      const sound = [speechLike(44_100, 8, 3, 12)];
      const { after, limited, limiterMaxReductionDb, passes } = await normalize(44_100, sound, {
        targetLufs,
      });
      expect(limited).toBe(targetLufs > -15);
      expect(Math.abs(after.loudness.integrated! - targetLufs)).toBeLessThan(0.5);
      expect(limiterMaxReductionDb > 0).toBe(limited);
      expect(passes).toBeLessThanOrEqual(6);
    },
  );

  test("stop at the greatest gain, and say so", async () => {
    const sound = [sine(48_000, 4, 997, -60)];
    const { gainDb, passedChecks, check } = await normalize(48_000, sound, { maxGainDb: 12 });
    expect(gainDb).toBe(12);
    expect(passedChecks).toEqual(["measurable", "true_peak"]);
    expect(check.passed).toBe(false);
  });

  test("turn down by the same rules", async () => {
    const sound = [noise(48_000 * 4, 1, 5)];
    const { after, gainDb } = await normalize(48_000, sound, { targetLufs: -30 });
    expect(gainDb).toBeLessThan(-20);
    expect(after.loudness.integrated).toBeCloseTo(-30, 2);
  });

  test("leave a sound without loudness as it is, and fail the check", async () => {
    for (const mode of ["two_pass", "single_pass"] as const) {
      for (const sound of [
        silence(48_000, 2),
        sine(48_000, 0.3, 997, -20),
        sine(48_000, 2, 997, -90),
      ]) {
        const { output, check, gainDb } = await normalize(48_000, [sound], { mode });
        expect(output[0]).toEqual(sound);
        expect(gainDb).toBe(0);
        expect(check.checks.find(({ id }) => id === "measurable")?.passed).toBe(false);
        expect(check.passed).toBe(false);
      }
    }
  });
});

describe("a single pass", () => {
  const single = { mode: "single_pass" } as const;

  test.each([1, 2, 3, 4, 5, 6])("is within 2 LU of the target for speech %d", async (seed) => {
    const seconds = [10, 12, 15, 20, 30, 45][seed - 1]!;
    const sound = [speechLike(16_000, seconds, seed, 3 * seed)];
    const { after, passes } = await normalize(16_000, sound, single);
    expect(Math.abs(after.loudness.integrated! + 16)).toBeLessThan(2);
    expect(passes).toBe(1);
  });

  test("is within 2 LU for steady sounds, quiet and loud, and after silence", async () => {
    for (const sound of [
      pinkNoise(48_000 * 10, 0.005, 1),
      pinkNoise(48_000 * 10, 0.2, 2),
      joined(silence(48_000, 5), pinkNoise(48_000 * 10, 0.005, 3)),
    ]) {
      const { after } = await normalize(48_000, [sound], { ...single, targetLufs: -20 });
      expect(Math.abs(after.loudness.integrated! + 20)).toBeLessThan(2);
    }
  });

  test("leaves a sound without a loudness as it is, however loud its peaks are", async () => {
    const shape = { ...single, truePeakDb: -9 };
    const short = sine(48_000, 0.39, 997, 0);
    const { output, passes, limited, after } = await normalize(48_000, [short], shape);
    expect(output[0]).toEqual(short);
    expect([passes, limited, after.loudness.integrated]).toEqual([1, false, null]);
    const longer = await normalize(48_000, [sine(48_000, 0.4, 997, 0)], shape);
    expect(longer.output[0]).toHaveLength(19_200);
    expect(longer.gainDb).toBeLessThan(-10);
    expect(decibelsOf(Math.max(...longer.output[0]!))).toBeLessThan(-10);
  });

  test.each([0.4, 0.45, 3, 5.25])(
    "leaves a sound as it is of which only the end, behind the last whole block, is loud (%d s before)",
    async (seconds) => {
      const sound = joined(silence(48_000, seconds), sine(48_000, 0.049, 997, 0));
      const { output, ...made } = await normalize(48_000, [sound], { ...single, truePeakDb: -9 });
      expect(output[0]).toEqual(sound);
      expect(made).toMatchObject({ passes: 1, limited: false, gainDb: 0 });
      expect(made.after.loudness.integrated).toBeNull();
      // With so much more that it makes a block, it is turned down.
      const longer = joined(sound, sine(48_000, 0.11, 997, 0));
      const turned = await normalize(48_000, [longer], { ...single, truePeakDb: -9 });
      expect(turned.after.loudness.integrated).not.toBeNull();
      expect(decibelsOf(Math.max(...turned.output[0]!))).toBeLessThan(-8.9);
    },
  );

  test("moves its gain by at most 3 dB a second", async () => {
    const sound = joined(sine(48_000, 8, 997, -40), sine(48_000, 8, 997, -15));
    const { output } = await normalize(48_000, [sound], { ...single, targetLufs: -30 });
    const gainAt = (seconds: number) => {
      const from = seconds * 48_000;
      const rms = (samples: Float32Array) =>
        Math.sqrt(samples.subarray(from, from + 480).reduce((sum, x) => sum + x * x, 0));
      return decibelsOf(rms(output[0]!) / rms(sound));
    };
    const gains = Array.from({ length: 159 }, (_, i) => gainAt(i / 10));
    const steps = gains.slice(1).map((gain, i) => Math.abs(gain - gains[i]!));
    // Where the tone changes its level, the gain of both is measured over both.
    expect(Math.max(...steps)).toBeLessThan(0.32);
    expect(Math.max(...steps)).toBeGreaterThan(0.28);
    // It begins before the louder part does.
    expect(gainAt(7.9)).toBeLessThan(gainAt(4) - 5);
  });
});
