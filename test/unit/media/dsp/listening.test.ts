/**
 * What enhancing and stretching do to speech, by figures that stand for listening: kept in test/golden/media/listening.json,
 * which `UPDATE_LISTENING=1` writes again. A regression moves them.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  createEnhancer,
  type EnhanceControls,
  type EnhanceProfile,
  resolveEnhancement,
} from "../../../../src/media/dsp/enhance-speech.ts";
import { TimeStretch } from "../../../../src/media/dsp/time-stretch.ts";
import { segmentalSnr, spectralDistance } from "../../../support/media/listening.ts";
import {
  amplitudeOf,
  blocksOf,
  collected,
  pinkNoise,
  processed,
  rmsOf,
} from "../../../support/media/signals.ts";
import { speechAt48 } from "../../../support/media/speech.ts";
import { rnnoise, timeStretch } from "../../../support/media/wasm-modules.ts";

const GOLDEN = join(import.meta.dirname, "../../../golden/media/listening.json");
/** In dB: more than rounding, less than what is heard. */
const TOLERANCE = 0.1;
const RATE = 48_000;
const SHAPE = { sampleRate: RATE, channels: 1 };
const PARTS = {
  rnnoise: rnnoise(),
  createConverter: () => {
    throw new Error("No rate is converted at 48 kHz.");
  },
};
const stretcher = timeStretch();
const speech = speechAt48();

function noisy(snrDb: number): Float32Array {
  const noise = pinkNoise(speech.length, rmsOf(speech) * amplitudeOf(-snrDb), 1);
  return speech.map((sample, i) => sample + noise[i]!);
}

const made = new Map<string, Float32Array>();
/** Each sound is made once. */
function once(name: string, make: () => Float32Array): Float32Array {
  const sound = made.get(name) ?? make();
  made.set(name, sound);
  return sound;
}

function enhanced(snr: number, profile: EnhanceProfile, controls: EnhanceControls = {}) {
  return once(JSON.stringify([snr, profile, controls]), () => {
    const chain = createEnhancer(SHAPE, resolveEnhancement(profile, controls), PARTS);
    return processed(chain, [noisy(snr)])[0]!;
  });
}

function stretched(speed: number): Float32Array {
  return once(`speed ${speed}`, () => {
    const frames = Math.round(speech.length / speed);
    const stage = new TimeStretch(stretcher, SHAPE, speech.length, frames);
    const blocks = function* () {
      for (const block of blocksOf([speech])) {
        yield* stage.add(block);
      }
      yield* stage.end();
    };
    return collected(blocks(), 1)[0]!;
  });
}

const rounded = (value: number) => Math.round(value * 100) / 100;

/** Of speech with noise at a distance, and of what is left of it: the segmental SNR and the distance of the spectra. */
function enhanceFigures(distort = (sound: Float32Array) => sound): Record<string, number> {
  const figures: Record<string, number> = {};
  for (const snr of [5, 15]) {
    const note = (name: string, result: Float32Array) => {
      figures[`${snr} dB, ${name}: segmental SNR`] = rounded(segmentalSnr(speech, result));
      figures[`${snr} dB, ${name}: spectral distance`] = rounded(spectralDistance(speech, result));
    };
    note("as it is", noisy(snr));
    for (const denoiseTechnique of ["spectral", "neural"] as const) {
      const only = { denoiseTechnique, denoiseMix: 1 };
      note(denoiseTechnique, distort(enhanced(snr, "custom", only)));
    }
    note("podcast", distort(enhanced(snr, "podcast")));
  }
  return figures;
}

function fitFigures(distort = (sound: Float32Array) => sound): Record<string, number> {
  return Object.fromEntries(
    [0.7, 0.9, 1.1, 1.4].map((speed) => [
      `speed ${speed}: spectral distance`,
      rounded(spectralDistance(speech, distort(stretched(speed)), 1 / speed)),
    ]),
  );
}

type Golden = Readonly<Record<"enhance" | "fit", Readonly<Record<string, number>>>>;

function golden(): Golden {
  return JSON.parse(readFileSync(GOLDEN, "utf8")) as Golden;
}

/** Names of figures that are not as they were kept. */
function moved(ours: Readonly<Record<string, number>>, kept: Readonly<Record<string, number>>) {
  expect(Object.keys(ours)).toEqual(Object.keys(kept));
  return Object.keys(kept).filter((name) => Math.abs(ours[name]! - kept[name]!) > TOLERANCE);
}

if (process.env["UPDATE_LISTENING"] !== undefined) {
  const figures = { enhance: enhanceFigures(), fit: fitFigures() };
  writeFileSync(GOLDEN, `${JSON.stringify(figures, null, 2)}\n`);
}

test("enhanced speech is as near to the clean one as it was", () => {
  const { enhance } = golden();
  expect(moved(enhanceFigures(), enhance)).toEqual([]);
  for (const technique of ["spectral", "neural"]) {
    const of = (name: string) => enhance[`5 dB, ${name}: segmental SNR`]!;
    expect(of(technique)).toBeGreaterThan(of("as it is") + 2);
  }
});

test("stretched speech has the spectra that it had", () => {
  expect(moved(fitFigures(), golden().fit)).toEqual([]);
});

test("planted regressions move the figures: less reduction, a delay, a dull sound, a wrong pitch", () => {
  const { enhance, fit } = golden();
  const faults = {
    delayed: (sound: Float32Array) => sound.map((_sample, i) => sound[i - 240] ?? 0),
    dull: (sound: Float32Array) => sound.map((sample, i) => 0.5 * (sample + (sound[i - 4] ?? 0))),
  };
  for (const [name, fault] of Object.entries(faults)) {
    expect(moved(enhanceFigures(fault), enhance).length, name).toBeGreaterThanOrEqual(4);
    expect(moved(fitFigures(fault), fit).length, name).toBe(4);
  }
  const lessReduced = rounded(
    segmentalSnr(speech, enhanced(5, "custom", { denoiseTechnique: "neural", denoiseMix: 0.5 })),
  );
  expect(enhance["5 dB, neural: segmental SNR"]! - lessReduced).toBeGreaterThan(TOLERANCE);
  // Samples farther apart instead of a stretch.
  const resampled = Float32Array.from(
    { length: Math.round(speech.length / 1.1) },
    (_none, i) => speech[Math.round(i * 1.1)] ?? 0,
  );
  const pitched = spectralDistance(speech, resampled, 1 / 1.1);
  expect(pitched - fit["speed 1.1: spectral distance"]!).toBeGreaterThan(TOLERANCE);
});
