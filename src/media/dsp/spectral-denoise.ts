/**
 * Noise reduction by the spectrum. Typed arrays are read within their bounds; `as number` removes the `undefined` that the type
 * checker adds.
 */
import type { SoundShape } from "../audio-block.ts";
import { SpectralStage, type Spectrum, windowFrames } from "./spectral-stage.ts";

/** Signal-to-noise ratio of speech where it is present, for its probability: 15 dB. */
const SPEECH_SNR = 10 ** 1.5;
/** How the noise follows, a window (Gerkmann and Hendriks, 2012). */
const NOISE_KEPT = 0.8;
const PROBABILITY_KEPT = 0.9;
/** A bin that has been speech for this long may be noise that became louder. */
const PROBABILITY_MAX = 0.99;
/** Windows at the start that are taken for noise, about 50 ms. */
const FIRST_WINDOWS = 10;
/** Weight of the previous window in the signal-to-noise ratio (Ephraim and Malah, 1984): against musical noise. */
const DECISION_KEPT = 0.98;
/** The least gain of a bin: -20 dB. What is left of the noise keeps its color and covers single tones. */
const GAIN_MIN = 0.1;
const NOTHING = 1e-20;

/** A Wiener filter over a noise floor that follows the sound; all channels have the same gains. */
export function createSpectralDenoise(shape: SoundShape): SpectralStage {
  const bins = windowFrames(shape.sampleRate) / 2 + 1;
  const noise = new Float64Array(bins);
  const probabilities = new Float64Array(bins);
  /** Power of each bin after the previous window's gain. */
  const cleaned = new Float64Array(bins);
  let windows = 0;

  return new SpectralStage(shape, (spectra) => {
    for (let k = 0; k < bins; k++) {
      const power = meanPower(spectra, k);
      const floor = followNoise(k, power);
      const posterior = power / floor;
      const prior =
        DECISION_KEPT * ((cleaned[k] as number) / floor) +
        (1 - DECISION_KEPT) * Math.max(posterior - 1, 0);
      const gain = Math.max(GAIN_MIN, prior / (1 + prior));
      cleaned[k] = gain * gain * power;
      for (const { re, im } of spectra) {
        re[k] = (re[k] as number) * gain;
        im[k] = (im[k] as number) * gain;
      }
    }
    windows += 1;
  });

  /** The power of the noise in a bin, after a window of this power. */
  function followNoise(k: number, power: number): number {
    const before = noise[k] as number;
    let after: number;
    if (windows < FIRST_WINDOWS) {
      after = before + (power - before) / (windows + 1);
    } else {
      const ratio = power / Math.max(before, NOTHING);
      let probability =
        1 / (1 + (1 + SPEECH_SNR) * Math.exp((-ratio * SPEECH_SNR) / (1 + SPEECH_SNR)));
      const smooth =
        PROBABILITY_KEPT * (probabilities[k] as number) + (1 - PROBABILITY_KEPT) * probability;
      probabilities[k] = smooth;
      if (smooth > PROBABILITY_MAX) {
        probability = Math.min(probability, PROBABILITY_MAX);
      }
      const estimate = probability * before + (1 - probability) * power;
      after = NOISE_KEPT * before + (1 - NOISE_KEPT) * estimate;
    }
    noise[k] = after;
    return Math.max(after, NOTHING);
  }
}

function meanPower(spectra: readonly Spectrum[], k: number): number {
  let sum = 0;
  for (const { re, im } of spectra) {
    sum += (re[k] as number) ** 2 + (im[k] as number) ** 2;
  }
  return sum / spectra.length;
}
