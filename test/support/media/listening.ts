/** Figures for what an ear would notice, computed by frames of 21 ms at 48 kHz in which the reference is loud. */
import { RealFourier } from "../../../src/media/dsp/fourier.ts";

const FRAME = 1_024;
const RATE = 48_000;
const BANDS = 24;
const [LOWEST_HZ, HIGHEST_HZ] = [100, 8_000];
/** Frames and bands this far below the loudest are not heard. */
const HEARD_DB = 40;
/** As usual for segmental figures, so that single frames do not decide. */
const [SNR_MIN, SNR_MAX] = [-10, 35];

const fourier = new RealFourier(FRAME);
const window = Float64Array.from(
  { length: FRAME },
  (_none, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / FRAME),
);

function energyOf(samples: Float32Array, at: number): number {
  return samples.subarray(at, at + FRAME).reduce((sum, sample) => sum + sample ** 2, 1e-12);
}

/** Starts of the frames of a sound that are at most 40 dB below its loudest one. */
function heardFrames(sound: Float32Array): number[] {
  const starts = Array.from(
    { length: Math.floor(sound.length / FRAME) - 1 },
    (_none, i) => i * FRAME,
  );
  const energies = starts.map((at) => energyOf(sound, at));
  const least = energies.reduce((max, energy) => Math.max(max, energy)) / 10 ** (HEARD_DB / 10);
  return starts.filter((_at, i) => energies[i]! > least);
}

const meanOf = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Signal to noise of a sound against its reference, in dB, the mean of frames. */
export function segmentalSnr(reference: Float32Array, sound: Float32Array): number {
  const difference = reference.map((sample, i) => (sound[i] ?? 0) - sample);
  return meanOf(
    heardFrames(reference).map((at) => {
      const snr = 10 * Math.log10(energyOf(reference, at) / energyOf(difference, at));
      return Math.min(SNR_MAX, Math.max(SNR_MIN, snr));
    }),
  );
}

/** Levels of the bands from `at` on, in dB. */
function bandsOf(sound: Float32Array, at: number): number[] {
  const [re, im] = [new Float64Array(FRAME / 2 + 1), new Float64Array(FRAME / 2 + 1)];
  const frame = window.map((weight, i) => weight * (sound[at + i] ?? 0));
  fourier.forward(frame, re, im);
  const edge = (band: number) =>
    Math.round(((LOWEST_HZ * (HIGHEST_HZ / LOWEST_HZ) ** (band / BANDS)) / RATE) * FRAME);
  const levels: number[] = [];
  for (let band = 0; band < BANDS; band++) {
    let sum = 1e-12;
    for (let bin = edge(band); bin < Math.max(edge(band) + 1, edge(band + 1)); bin++) {
      sum += re[bin]! ** 2 + im[bin]! ** 2;
    }
    levels.push(10 * Math.log10(sum));
  }
  return levels;
}

/**
 * Difference of the spectra of a sound and its reference, in dB, the mean of frames. The sound lasts `stretch` times as
 * long.
 */
export function spectralDistance(
  reference: Float32Array,
  sound: Float32Array,
  stretch = 1,
): number {
  return meanOf(
    heardFrames(reference).map((at) => {
      const theirs = bandsOf(reference, at);
      const floor = Math.max(...theirs) - HEARD_DB;
      // The middles of both frames belong to each other.
      const ours = bandsOf(sound, Math.round((at + FRAME / 2) * stretch - FRAME / 2));
      const squares = theirs.map(
        (level, band) => (Math.max(level, floor) - Math.max(ours[band]!, floor)) ** 2,
      );
      return Math.sqrt(meanOf(squares));
    }),
  );
}
