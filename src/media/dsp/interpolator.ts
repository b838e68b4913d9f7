/**
 * The signal between the samples, for true peaks (ITU-R BS.1770-4 Annex 2): 4 times oversampled, 2 times from 96 kHz, not at
 * all from 192 kHz. 32 taps a phase, h(t) = sinc(t) × Kaiser(t / 16, β = 8), each phase scaled to sum 1. Typed arrays are
 * read within their bounds; `as number` removes the `undefined` that the type checker adds.
 */

/** Samples before and after a position that its interpolated values need: k = -15 … 16. */
export const SAMPLES_BEFORE = 15;
export const SAMPLES_AFTER = 16;
const BETA = 8;
const PAIRS = 16;

/** Modified Bessel function of the first kind, of order 0. */
function bessel(x: number): number {
  let sum = 1;
  let term = 1;
  for (let k = 1; term > sum * 1e-17; k++) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}

/** The taps of k = -15 … 16 for a position `phase` (0 to 1) after the sample. */
export function tapsOf(phase: number): Float64Array {
  const taps = Float64Array.from({ length: 2 * PAIRS }, (_, index) => {
    const t = index - SAMPLES_BEFORE - phase;
    const u = t / PAIRS;
    const window = bessel(BETA * Math.sqrt(1 - u * u)) / bessel(BETA);
    return (Math.sin(Math.PI * t) / (Math.PI * t)) * window;
  });
  const sum = taps.reduce((total, tap) => total + tap, 0);
  return taps.map((tap) => tap / sum);
}

function sumOfMagnitudes(values: Float64Array): number {
  return values.reduce((sum, value) => sum + Math.abs(value), 0);
}

/**
 * The factor c of |y - x0| ≤ c × (greatest difference between neighbors): the interpolated value is x0 plus differences
 * weighted by sums of the taps beyond them, because the taps sum to 1.
 */
function sumOfTails(taps: Float64Array): number {
  let total = 0;
  let tail = 0;
  for (let i = taps.length - 1; i > SAMPLES_BEFORE; i--) {
    tail += taps[i] ?? 0;
    total += Math.abs(tail);
  }
  tail = 0;
  for (let i = 0; i < SAMPLES_BEFORE; i++) {
    tail += taps[i] ?? 0;
    total += Math.abs(tail);
  }
  return total;
}

const HALF = tapsOf(0.5);
const QUARTER = tapsOf(0.25);

/** Of two taps that lie symmetrically about the middle of the window: their half sum and half difference. */
const HALF_PAIRS = HALF.subarray(PAIRS);
const SUM_PAIRS = new Float64Array(PAIRS);
const DIFFERENCE_PAIRS = new Float64Array(PAIRS);
for (let pair = 0; pair < PAIRS; pair++) {
  const after = QUARTER[PAIRS + pair] ?? 0;
  const before = QUARTER[PAIRS - 1 - pair] ?? 0;
  SUM_PAIRS[pair] = (after + before) / 2;
  DIFFERENCE_PAIRS[pair] = (after - before) / 2;
}

/** Interpolated values exceed neither this times the greatest magnitude of their window … */
const MAGNITUDES = Math.max(sumOfMagnitudes(HALF), sumOfMagnitudes(QUARTER));
/** … nor the greater neighbor plus this times the greatest difference within the window. */
const TAILS = Math.max(sumOfTails(HALF), sumOfTails(QUARTER));

/** How often the signal is oversampled for its true peak. */
export function oversampling(sampleRate: number): 1 | 2 | 4 {
  if (sampleRate >= 192_000) {
    return 1;
  }
  return sampleRate >= 96_000 ? 2 : 4;
}

/** An upper bound of all interpolated magnitudes of a window. */
export function boundOf(near: number, magnitude: number, difference: number): number {
  return Math.min(MAGNITUDES * magnitude, near + riseOf(difference));
}

/** By how much interpolated magnitudes exceed the greater neighbor at most, by the greatest difference within the window. */
export function riseOf(difference: number): number {
  return TAILS * difference;
}

/** Pairs that are added before the others are estimated: most values are shown to be small by them. */
const NEAR_PAIRS = 4;
/** What the taps of the other pairs add at most to a window whose greatest magnitude is 1; more than rounding can hide. */
const FAR_HALF = farTaps(HALF) + 1e-9;
const FAR_QUARTER = farTaps(QUARTER) + 1e-9;

function farTaps(taps: Float64Array): number {
  const isNear = (index: number) => index >= PAIRS - NEAR_PAIRS && index < PAIRS + NEAR_PAIRS;
  return sumOfMagnitudes(taps.map((tap, index) => (isNear(index) ? 0 : tap)));
}

/**
 * The greatest interpolated magnitude between the sample at `at` and the next, for 4 times oversampling; 0 if it cannot exceed
 * `limit`. `magnitude`: the greatest one of the window.
 */
export function peakOfQuarters(
  line: Float32Array,
  at: number,
  magnitude: number,
  limit: number,
): number {
  let half = 0;
  let sums = 0;
  let differences = 0;
  let pair = 0;
  let before = at;
  let after = at + 1;
  for (; pair < NEAR_PAIRS; pair++, before--, after++) {
    const a = line[after] as number;
    const b = line[before] as number;
    const sum = a + b;
    half += (HALF_PAIRS[pair] as number) * sum;
    sums += (SUM_PAIRS[pair] as number) * sum;
    differences += (DIFFERENCE_PAIRS[pair] as number) * (a - b);
  }
  if (
    Math.abs(half) + FAR_HALF * magnitude <= limit &&
    Math.abs(sums) + Math.abs(differences) + FAR_QUARTER * magnitude <= limit
  ) {
    return 0;
  }
  for (; pair < PAIRS; pair++, before--, after++) {
    const a = line[after] as number;
    const b = line[before] as number;
    const sum = a + b;
    half += (HALF_PAIRS[pair] as number) * sum;
    sums += (SUM_PAIRS[pair] as number) * sum;
    differences += (DIFFERENCE_PAIRS[pair] as number) * (a - b);
  }
  // The values after one and three quarters are the sum and the difference of both parts.
  return Math.max(Math.abs(half), Math.abs(sums) + Math.abs(differences));
}

/** The interpolated magnitude in the middle between the sample at `at` and the next. */
export function peakOfHalf(line: Float32Array, at: number): number {
  let half = 0;
  for (let pair = 0, before = at, after = at + 1; pair < PAIRS; pair++, before--, after++) {
    half += (HALF_PAIRS[pair] as number) * ((line[after] as number) + (line[before] as number));
  }
  return Math.abs(half);
}
