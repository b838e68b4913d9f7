/** Loudness of ITU-R BS.1770-4, EBU R128 and EBU Tech 3342 from the energies of intervals of 100 ms. */

/** In LUFS, the range in LU; null if it cannot be computed. */
export interface Loudness {
  readonly integrated: number | null;
  /** The relative gate of the integrated loudness. */
  readonly threshold: number | null;
  readonly range: number | null;
  readonly momentaryMax: number | null;
  readonly shortTermMax: number | null;
}

/** Intervals of 100 ms in a momentary block and in a short-term block. */
export const MOMENTARY = 4;
export const SHORT_TERM = 30;

const ABSOLUTE_GATE = -70;
const INTEGRATED_GATE = -10;
const RANGE_GATE = -20;

/** Loudness of an energy (mean square of K-weighted samples, summed over the channels). */
export function toLoudness(energy: number): number {
  return -0.691 + 10 * Math.log10(energy);
}

function toEnergy(loudness: number): number {
  return 10 ** ((loudness + 0.691) / 10);
}

/** Means of every `length` successive intervals. */
function blocksOf(intervals: Float64Array, length: number): Float64Array {
  const blocks = new Float64Array(Math.max(0, intervals.length - length + 1));
  for (let at = 0; at < blocks.length; at++) {
    let sum = 0;
    for (let i = at; i < at + length; i++) {
      sum += intervals[i] ?? 0;
    }
    blocks[at] = sum / length;
  }
  return blocks;
}

function meanOf(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function maximumOf(blocks: Float64Array): number | null {
  const most = blocks.reduce((max, value) => Math.max(max, value), 0);
  return most > 0 ? toLoudness(most) : null;
}

/** Nearest rank on n - 1. */
function percentile(sorted: Float64Array, share: number): number {
  return sorted[Math.round((sorted.length - 1) * share)] ?? 0;
}

function rangeOf(shortTerm: Float64Array): number | null {
  const audible = shortTerm.filter((energy) => energy >= toEnergy(ABSOLUTE_GATE));
  if (audible.length === 0) {
    return null;
  }
  const gate = toEnergy(toLoudness(meanOf(audible)) + RANGE_GATE);
  const kept = audible.filter((energy) => energy >= gate).toSorted();
  return toLoudness(percentile(kept, 0.95)) - toLoudness(percentile(kept, 0.1));
}

/** The integrated loudness and its relative gate. */
function gatedLoudness(momentary: Float64Array): Pick<Loudness, "integrated" | "threshold"> {
  const audible = momentary.filter((energy) => energy > toEnergy(ABSOLUTE_GATE));
  if (audible.length === 0) {
    return { integrated: null, threshold: null };
  }
  const threshold = toLoudness(meanOf(audible)) + INTEGRATED_GATE;
  const gate = toEnergy(threshold);
  const kept = audible.filter((energy) => energy > gate);
  return { integrated: toLoudness(meanOf(kept)), threshold };
}

/** @param intervals mean energies of successive intervals of 100 ms, whole ones only. */
export function integratedLoudness(intervals: Float64Array): number | null {
  return gatedLoudness(blocksOf(intervals, MOMENTARY)).integrated;
}

/** @param intervals mean energies of successive intervals of 100 ms, whole ones only. */
export function measureLoudness(intervals: Float64Array): Loudness {
  const momentary = blocksOf(intervals, MOMENTARY);
  const shortTerm = blocksOf(intervals, SHORT_TERM);
  return {
    ...gatedLoudness(momentary),
    range: rangeOf(shortTerm),
    momentaryMax: maximumOf(momentary),
    shortTermMax: maximumOf(shortTerm),
  };
}
