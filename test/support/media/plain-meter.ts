/**
 * Loudness a second time, written down from the texts of ITU-R BS.1770-4 (annex 1) and EBU Tech 3342 (section 5) without
 * regard to speed and without code of the meter: the judge of the meter at 48 kHz.
 */

export const PLAIN_RATE = 48_000;

/** The coefficients that BS.1770-4 prints for 48 kHz in its tables 1 and 2; ours are computed from a formula. */
const SHELF = {
  b: [1.53512485958697, -2.69169618940638, 1.19839281085285],
  a: [-1.69065929318241, 0.73248077421585],
} as const;
const HIGH_PASS = { b: [1, -2, 1], a: [-1.99004745483398, 0.99007225036621] } as const;

/**
 * Table 3: the weights of L, R, C, Ls, Rs; the LFE of six channels and more is not measured, and each channel behind it is a
 * surround, as in the layouts 6.1 and 7.1 of WAVE.
 */
const WEIGHTS: Readonly<Record<number, readonly number[]>> = {
  1: [1],
  2: [1, 1],
  3: [1, 1, 1],
  4: [1, 1, 1, 1],
  5: [1, 1, 1, 1.41, 1.41],
  6: [1, 1, 1, 0, 1.41, 1.41],
  7: [1, 1, 1, 0, 1.41, 1.41, 1.41],
  8: [1, 1, 1, 0, 1.41, 1.41, 1.41, 1.41],
};

export interface PlainReading {
  readonly integrated: number;
  readonly range: number;
  readonly momentaryMax: number;
  readonly shortTermMax: number;
}

function filtered(x: ArrayLike<number>, { b, a }: typeof SHELF | typeof HIGH_PASS): Float64Array {
  const y = new Float64Array(x.length);
  for (let n = 0; n < x.length; n++) {
    y[n] =
      b[0] * x[n]! +
      b[1] * (x[n - 1] ?? 0) +
      b[2] * (x[n - 2] ?? 0) -
      a[0] * (y[n - 1] ?? 0) -
      a[1] * (y[n - 2] ?? 0);
  }
  return y;
}

const loudnessOf = (power: number) => -0.691 + 10 * Math.log10(power);
const meanOf = (powers: readonly number[]) =>
  powers.reduce((sum, power) => sum + power, 0) / powers.length;

/** Measures a sound at 48 kHz. `stepSeconds`: the time between two blocks, 100 ms in the standards. */
export function plainMeter(
  channels: readonly Float32Array[],
  stepSeconds = 0.1,
  weights = WEIGHTS[channels.length]!,
): PlainReading {
  const weighted = channels.map((x) => filtered(filtered(x, SHELF), HIGH_PASS));
  // Sums up to each sample, so that a block is a difference.
  const sums = new Float64Array(channels[0]!.length + 1);
  for (let n = 0; n + 1 < sums.length; n++) {
    let power = 0;
    for (const [c, y] of weighted.entries()) {
      power += weights[c]! * y[n]! * y[n]!;
    }
    sums[n + 1] = sums[n]! + power;
  }
  const step = Math.round(stepSeconds * PLAIN_RATE);
  const blocks = (seconds: number) => {
    const frames = Math.round(seconds * PLAIN_RATE);
    const count = Math.max(0, Math.floor((sums.length - 1 - frames) / step) + 1);
    return Array.from(
      { length: count },
      (_none, j) => Math.max(0, sums[j * step + frames]! - sums[j * step]!) / frames,
    );
  };
  const [momentary, shortTerm] = [blocks(0.4), blocks(3)];
  return {
    integrated: integratedOf(momentary),
    range: rangeOf(shortTerm),
    momentaryMax: loudnessOf(Math.max(...momentary)),
    shortTermMax: loudnessOf(Math.max(...shortTerm)),
  };
}

/** Formulas (4) to (7): the two gates. */
function integratedOf(powers: readonly number[]): number {
  const absolute = powers.filter((power) => loudnessOf(power) > -70);
  const relative = loudnessOf(meanOf(absolute)) - 10;
  return loudnessOf(meanOf(absolute.filter((power) => loudnessOf(power) > relative)));
}

/** Section 5 of EBU Tech 3342, whose ranks count from 1. */
function rangeOf(powers: readonly number[]): number {
  const absolute = powers.filter((power) => loudnessOf(power) >= -70);
  const relative = loudnessOf(meanOf(absolute)) - 20;
  const levels = absolute
    .map((power) => loudnessOf(power))
    .filter((level) => level >= relative)
    .toSorted((a, b) => a - b);
  const rank = (percent: number) => Math.round(((levels.length - 1) * percent) / 100 + 1);
  return levels[rank(95) - 1]! - levels[rank(10) - 1]!;
}
