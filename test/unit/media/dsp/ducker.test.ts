import { describe, expect, test } from "vitest";
import {
  checkDucking,
  DUCK_PROFILES,
  type DuckControls,
  Ducker,
  duckFrames,
  duckResults,
} from "../../../../src/media/dsp/ducker.ts";
import {
  blocksOf,
  collected,
  joined,
  noise,
  silence,
  sine,
} from "../../../support/media/signals.ts";

function duck(
  sampleRate: number,
  foreground: readonly Float32Array[],
  background: readonly Float32Array[],
  controls: DuckControls,
) {
  const ducker = new Ducker({ sampleRate, channels: background.length }, controls);
  const mixed: Float32Array[][] = [];
  const ducked: Float32Array[][] = [];
  let at = 0;
  for (const block of blocksOf(background, 4)) {
    const frames = block[0]!.length;
    const result = ducker.process(
      foreground.map((samples) => samples.subarray(at, at + frames)),
      block,
    );
    mixed.push(result.mixed.map((samples) => samples.slice()));
    ducked.push(result.ducked.map((samples) => samples.slice()));
    at += frames;
  }
  return {
    mixed: collected(mixed, background.length),
    ducked: collected(ducked, background.length),
    ...ducker.result(),
  };
}

/** The gain of the background in dB for each frame, as the contract words it. */
function slowGains(fs: number, foreground: readonly Float32Array[], p: DuckControls): Float64Array {
  let e = 0;
  let g = 0;
  return Float64Array.from(foreground[0]!, (_, i) => {
    const d = Math.max(
      ...foreground.map((samples) => Math.abs(samples[i]! * 10 ** (p.foregroundGainDb / 20))),
    );
    e = Math.max(d, e * Math.exp(-1 / (0.01 * fs)));
    const o = 20 * Math.log10(e) - p.thresholdDb;
    const t = o > 0 ? -Math.min(o * (1 - 1 / p.ratio), p.maxReductionDb) : 0;
    const tau = (t < g ? p.attackMs : p.releaseMs) / 1000;
    const c = Math.exp(-1 / (tau * fs));
    g = c * g + (1 - c) * t;
    return g;
  });
}

const speech = (sampleRate: number) =>
  joined(
    silence(sampleRate, 0.2),
    noise(sampleRate / 2, 0.4, 1),
    silence(sampleRate, 0.7),
    noise(sampleRate / 4, 0.02, 2),
    silence(sampleRate, 0.35),
  );

const PROFILES = ["voice_over", "podcast", "music_bed"] as const;

describe.each([8000, 44_100, 48_000])("at %d Hz", (sampleRate) => {
  test.each(PROFILES)("each frame of %s follows the recurrence", (name) => {
    const controls = { ...DUCK_PROFILES[name], foregroundGainDb: 2.5 };
    const voice = speech(sampleRate);
    const foreground = [voice, voice.map((x) => -0.5 * x)];
    const background = [noise(voice.length, 0.5, 3), noise(voice.length, 0.3, 4)];
    const gains = slowGains(sampleRate, foreground, controls);
    const result = duck(sampleRate, foreground, background, controls);
    let peak = 0;
    for (const [channel, samples] of background.entries()) {
      for (let i = 0; i < samples.length; i += 1) {
        const quiet = samples[i]! * 10 ** ((controls.backgroundGainDb + gains[i]!) / 20);
        const sum = foreground[channel]![i]! * 10 ** (2.5 / 20) + quiet;
        peak = Math.max(peak, Math.abs(sum));
        if (
          Math.abs(result.ducked[channel]![i]! - quiet) > 1e-7 ||
          Math.abs(result.mixed[channel]![i]! - sum) > 2e-7
        ) {
          expect([i, result.ducked[channel]![i], result.mixed[channel]![i]]).toEqual([
            i,
            quiet,
            sum,
          ]);
        }
      }
    }
    expect(result.peak).toBeCloseTo(peak, 6);
    expect(result.maxReductionDb).toBeCloseTo(-Math.min(...gains), 6);
    expect(result.meanReductionDb).toBeCloseTo(
      -gains.reduce((sum, g) => sum + g, 0) / gains.length,
      6,
    );
    expect(result.activeSeconds).toBeCloseTo(gains.filter((g) => g <= -1).length / sampleRate, 6);
    expect(result.activeSeconds).toBeGreaterThan(0.4);
  });
});

test("without a foreground the background keeps its bits, and the check says that nothing was ducked", () => {
  const background = [noise(48_000, 0.5, 1)];
  const controls = { ...DUCK_PROFILES.voice_over };
  const result = duck(48_000, [silence(48_000, 1)], background, controls);
  expect(result.ducked).toEqual(background);
  expect(result.mixed).toEqual(background);
  const failed = (overload: number) =>
    checkDucking(result, overload)
      .checks.filter(({ passed }) => !passed)
      .map(({ id }) => id);
  expect(failed(0)).toEqual(["ducked"]);
  expect(failed(-2)).toEqual(["ducked", "overload"]);
  expect(checkDucking(result, -2).passed).toBe(true);
});

test("the gain returns to exactly that of the background", () => {
  const foreground = joined(sine(8000, 0.2, 300, -6), silence(8000, 20));
  const background = new Float32Array(foreground.length).fill(0.25);
  const { ducked } = duck(8000, [foreground], [background], { ...DUCK_PROFILES.voice_over });
  expect(ducked[0]![1000]).toBeLessThan(0.1);
  expect(ducked[0]!.at(-1)).toBe(0.25);
});

test("the results have three decimals", () => {
  const { ...ducking } = duck(8000, [noise(8000, 0.5, 1)], [noise(8000, 0.5, 2)], {
    ...DUCK_PROFILES.podcast,
  });
  const results = duckResults(ducking, -1.23456);
  expect(results["overload_gain_db"]).toBe(-1.235);
  expect(results["max_reduction_db"]).toBeCloseTo(12, 1);
  expect(Object.keys(results)).toEqual([
    "max_reduction_db",
    "mean_reduction_db",
    "active_seconds",
    "overload_gain_db",
  ]);
});

test("the result is as long as is asked for", () => {
  expect(duckFrames("longest", false, 5, 9)).toBe(9);
  expect(duckFrames("longest", false, 9, 5)).toBe(9);
  expect(duckFrames("longest", true, 5, 9)).toBe(5);
  expect(duckFrames("foreground", false, 5, 9)).toBe(5);
  expect(duckFrames("background", true, 5, 9)).toBe(9);
});
