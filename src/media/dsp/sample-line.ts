/**
 * One channel's latest samples with the greatest magnitude and difference of every 16. Typed arrays are read within their
 * bounds; `as number` removes the `undefined` that the type checker adds.
 */
import { BLOCK_FRAMES_MAX } from "../audio-block.ts";
import {
  boundOf,
  oversampling,
  peakOfHalf,
  peakOfQuarters,
  riseOf,
  SAMPLES_AFTER,
} from "./interpolator.ts";

/** Samples of a chunk. A window of the interpolator reaches into one chunk before and one after. */
export const CHUNK = 16;
/** Chunks that stand before the first new sample: the one whose windows are due, and the one before it. */
const KEPT = 2;
const CHUNKS = BLOCK_FRAMES_MAX / CHUNK + KEPT + 1;

/** Zeros that bring every window with a sample of the signal past the end. */
export const ZEROS_AFTER = KEPT * CHUNK + SAMPLES_AFTER;

export class SampleLine {
  readonly samples = new Float32Array(CHUNKS * CHUNK);
  /** For each complete chunk: the greatest magnitude, and the greatest difference to the sample before. */
  readonly magnitudes = new Float64Array(CHUNKS);
  readonly differences = new Float64Array(CHUNKS);
  readonly #oversampling: 1 | 2 | 4;
  /** Samples in the line; it begins with silence. */
  #filled = KEPT * CHUNK;
  /** Chunks whose figures are computed. */
  #complete = KEPT;

  constructor(sampleRate: number) {
    this.#oversampling = oversampling(sampleRate);
  }

  /** The first chunk that the next `append` completes. */
  get firstNew(): number {
    return this.#complete;
  }

  /** Appends the samples `from` to `to` - 1, at most a block, and returns how many chunks are complete. */
  append(samples: Float32Array, from: number, to: number): number {
    this.samples.set(samples.subarray(from, to), this.#filled);
    this.#filled += to - from;
    const complete = (this.#filled / CHUNK) | 0;
    for (let chunk = this.#complete; chunk < complete; chunk++) {
      this.#scan(chunk);
    }
    this.#complete = complete;
    return complete;
  }

  /** Forgets all chunks but the last two complete ones, and the samples after them. */
  shift(): void {
    const dropped = this.#complete - KEPT;
    if (dropped <= 0) {
      return;
    }
    this.samples.copyWithin(0, dropped * CHUNK, this.#filled);
    this.magnitudes.copyWithin(0, dropped, this.#complete);
    this.differences.copyWithin(0, dropped, this.#complete);
    this.#filled -= dropped * CHUNK;
    this.#complete = KEPT;
  }

  #scan(chunk: number): void {
    const { samples } = this;
    let magnitude = 0;
    let difference = 0;
    let before = chunk === 0 ? 0 : (samples[chunk * CHUNK - 1] as number);
    for (let i = chunk * CHUNK; i < (chunk + 1) * CHUNK; i++) {
      const sample = samples[i] as number;
      const own = Math.abs(sample);
      const step = Math.abs(sample - before);
      // Quicker than Math.max, which treats NaN and -0.
      if (own > magnitude) {
        magnitude = own;
      }
      if (step > difference) {
        difference = step;
      }
      before = sample;
    }
    this.magnitudes[chunk] = magnitude;
    this.differences[chunk] = difference;
  }

  /** Whether a value between the samples of this chunk, or before the next chunk, may exceed `limit`. */
  mayExceed(chunk: number, limit: number): boolean {
    if (this.#oversampling === 1) {
      return false;
    }
    const { magnitudes } = this;
    const own = magnitudes[chunk] as number;
    const next = magnitudes[chunk + 1] as number;
    return (
      boundOf(
        Math.max(own, next),
        Math.max(magnitudes[chunk - 1] as number, own, next),
        this.#steepest(chunk),
      ) > limit
    );
  }

  /** Whether a sample of this chunk exceeds `limit`, or a value that `mayExceed` is about may. */
  isAbove(chunk: number, limit: number): boolean {
    return (this.magnitudes[chunk] as number) > limit || this.mayExceed(chunk, limit);
  }

  /**
   * Raises `peaks[i]` to the magnitudes of the sample `i` of this chunk and of the values between it and its neighbors; the last
   * of the 17 belongs to the values before the next chunk. Values that cannot exceed `limit` are passed over.
   */
  raisePeaks(chunk: number, limit: number, peaks: Float64Array): void {
    const { samples } = this;
    const rise = riseOf(this.#steepest(chunk));
    const magnitude = this.#greatest(chunk);
    for (let i = 0, at = chunk * CHUNK; i < CHUNK; i++, at++) {
      const own = Math.abs(samples[at] as number);
      if (own > (peaks[i] as number)) {
        peaks[i] = own;
      }
      const after = this.#peakAfter(at, limit, rise, magnitude);
      if (after > (peaks[i] as number)) {
        peaks[i] = after;
      }
      if (after > (peaks[i + 1] as number)) {
        peaks[i + 1] = after;
      }
    }
  }

  #steepest(chunk: number): number {
    const { differences } = this;
    return Math.max(
      differences[chunk - 1] as number,
      differences[chunk] as number,
      differences[chunk + 1] as number,
    );
  }

  /**
   * The greatest interpolated magnitude between the sample at `at` and the next; 0 if it cannot exceed `limit`. `rise` and
   * `magnitude` are those of its chunk.
   */
  #peakAfter(at: number, limit: number, rise: number, magnitude: number): number {
    const { samples } = this;
    const own = Math.abs(samples[at] as number);
    const next = Math.abs(samples[at + 1] as number);
    if ((own > next ? own : next) + rise <= limit) {
      return 0;
    }
    return this.#oversampling === 4
      ? peakOfQuarters(samples, at, magnitude, limit)
      : peakOfHalf(samples, at);
  }

  /** The greatest magnitude of the windows of this chunk. */
  #greatest(chunk: number): number {
    const { magnitudes } = this;
    return Math.max(
      magnitudes[chunk - 1] as number,
      magnitudes[chunk] as number,
      magnitudes[chunk + 1] as number,
    );
  }

  /** The greatest of `floor` and of all interpolated magnitudes of this chunk. Windows that cannot exceed it are passed over. */
  peakOf(chunk: number, floor: number): number {
    let peak = floor;
    if (this.mayExceed(chunk, peak)) {
      const rise = riseOf(this.#steepest(chunk));
      const magnitude = this.#greatest(chunk);
      for (let at = chunk * CHUNK; at < (chunk + 1) * CHUNK; at++) {
        peak = Math.max(peak, this.#peakAfter(at, peak, rise, magnitude));
      }
    }
    return peak;
  }
}
