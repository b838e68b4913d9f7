/**
 * Half of the filter's length, in samples of the lower rate. With a Kaiser window of this β the transition from 0.45 to
 * 0.5 of the lower rate ends 100 dB down (J. F. Kaiser, 1974: A = 14.36 Δf N + 8).
 */
const HALF_LENGTH = 64;
const KAISER_BETA = 10.06;
/** Middle of the transition, as a share of the lower rate. */
const CUTOFF = 0.475;
/** Largest table with each phase; 2 MiB in single precision. */
const EXACT_ENTRIES_MAX = 2 ** 19;
/**
 * Phases for each sample of the lower rate in a table that is interpolated: a straight line between two of them is at
 * most π² / (8 × 512²), −106 dB, away from the filter.
 */
const PHASES = 512;

/** A low-pass filter at the phases that a ratio of two rates needs. */
export interface ResamplingFilter {
  /** Samples of the input that an output sample is computed from; a multiple of 16. */
  readonly taps: number;
  /** Rows of the table: each phase of the ratio, or one more than `phases` for interpolation. */
  readonly phases: number;
  readonly isExact: boolean;
  /** Row after row of `taps` coefficients, each with sum 1. */
  readonly table: Float64Array;
}

/** The filter between two rates in Hz, of which `up` : `down` is the reduced ratio of output to input. */
export function resamplingFilter(from: number, to: number, up: number): ResamplingFilter {
  const low = Math.min(from, to);
  const half = Math.ceil((HALF_LENGTH * from) / low / 8) * 8;
  const taps = 2 * half;
  const isExact = up * taps <= EXACT_ENTRIES_MAX;
  const phases = isExact ? up : Math.ceil((PHASES * low) / from);
  const rows = isExact ? up : phases + 1;
  const table = new Float64Array(rows * taps);
  const width = (2 * CUTOFF * low) / from;
  for (let row = 0; row < rows; row++) {
    const at = row * taps;
    let sum = 0;
    for (let tap = 0; tap < taps; tap++) {
      const value = windowedSinc(tap - half + 1 - row / phases, width, half);
      table[at + tap] = value;
      sum += value;
    }
    for (let tap = 0; tap < taps; tap++) {
      table[at + tap] = (table[at + tap] as number) / sum;
    }
  }
  return { taps, phases, isExact, table };
}

function windowedSinc(time: number, width: number, half: number): number {
  const position = time / half;
  if (Math.abs(position) >= 1) {
    return 0;
  }
  const angle = Math.PI * width * time;
  const sinc = angle === 0 ? 1 : Math.sin(angle) / angle;
  return sinc * besselI0(KAISER_BETA * Math.sqrt(1 - position * position));
}

/** The modified Bessel function of order 0, by its power series. */
function besselI0(x: number): number {
  const quarter = (x * x) / 4;
  let term = 1;
  let sum = 1;
  for (let k = 1; term > sum * 1e-17; k++) {
    term *= quarter / (k * k);
    sum += term;
  }
  return sum;
}
