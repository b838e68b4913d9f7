import type { SoundShape } from "../audio-block.ts";
import { toAmplitude } from "./decibels.ts";
import { SpectralStage, type Spectrum, windowFrames } from "./spectral-stage.ts";

/** Where sibilants are, in Hz, and the edges over which the reduction sets in. */
const BAND = { from: 4000, to: 10_000, edge: 500 };
/** Level of the band above that of the rest, in dB, from which a window counts as a sibilant. */
const SIBILANT_DB = -3;
/** The reduction falls back by 1 / e in this time, in seconds. */
const RELEASE_SECONDS = 0.06;

/** Turns the band from 4 to 10 kHz down, by at most `mostDb`, where it outweighs the rest. The phase stays. */
export function createDeEsser(shape: SoundShape, mostDb: number): SpectralStage {
  const size = windowFrames(shape.sampleRate);
  const hertz = (bin: number) => (bin * shape.sampleRate) / size;
  const shares = Float64Array.from({ length: size / 2 + 1 }, (_, bin) => {
    const inside = Math.min(hertz(bin) - BAND.from, BAND.to - hertz(bin));
    return Math.max(0, Math.min(1, 1 + inside / BAND.edge));
  });
  const release = Math.exp(-size / 4 / (RELEASE_SECONDS * shape.sampleRate));
  let reductionDb = 0;

  return new SpectralStage(shape, (spectra) => {
    const excessDb = bandExcessDb(spectra, shares) - SIBILANT_DB;
    const wanted = Math.max(0, Math.min(mostDb, excessDb));
    reductionDb = Math.max(wanted, reductionDb * release);
    if (reductionDb < 0.001) {
      return;
    }
    const gain = toAmplitude(-reductionDb);
    for (const [bin, share] of shares.entries()) {
      const factor = 1 - share * (1 - gain);
      for (const { re, im } of spectra) {
        re[bin] = (re[bin] ?? 0) * factor;
        im[bin] = (im[bin] ?? 0) * factor;
      }
    }
  });
}

/** Level of the band above that of the rest, in dB. */
function bandExcessDb(spectra: readonly Spectrum[], shares: Float64Array): number {
  let band = 0;
  let rest = 0;
  for (const { re, im } of spectra) {
    for (const [bin, share] of shares.entries()) {
      const power = (re[bin] ?? 0) ** 2 + (im[bin] ?? 0) ** 2;
      band += share * power;
      rest += (1 - share) * power;
    }
  }
  return band === 0 ? Number.NEGATIVE_INFINITY : 10 * Math.log10(band / Math.max(rest, 1e-20));
}
