import type { AudioBlock } from "../audio-block.ts";
import { type ResamplingFilter, resamplingFilter } from "./resampling-filter.ts";

/** Room for input besides the filter's length; a longer block is taken in pieces. */
const PIECE_FRAMES = 8_192;

/**
 * Changes the sample rate by a polyphase windowed sinc: linear phase, no delay, round(n × to / from) frames in all. The
 * sound is silent before its first and after its last sample. Memory does not depend on the duration.
 */
export class Resampler {
  readonly #from: number;
  readonly #to: number;
  readonly #filter: ResamplingFilter;
  readonly #ratio: Ratio;
  /** Input that is still needed, by channel; doubles, so that the inner loop converts nothing. */
  readonly #held: readonly Float64Array[];
  #filled: number;
  #out: readonly Float32Array[];
  /** Of the next output: its first input frame in `#held`, and its phase. */
  #at = 0;
  #phase = 0;
  #framesIn = 0;
  #framesOut = 0;

  /** Rates are whole numbers of Hz. */
  constructor(from: number, to: number, channels: number) {
    const divisor = greatestCommonDivisor(from, to);
    const down = from / divisor;
    this.#from = from;
    this.#to = to;
    const up = to / divisor;
    this.#ratio = { up, stepFrames: Math.floor(down / up), stepPhase: down % up };
    this.#filter = resamplingFilter(from, to, up);
    const { taps } = this.#filter;
    this.#held = Array.from({ length: channels }, () => new Float64Array(taps + PIECE_FRAMES));
    // The frames before the first one, which are silent.
    this.#filled = taps / 2 - 1;
    this.#out = Array.from({ length: channels }, () => new Float32Array(0));
  }

  get memoryBytes(): number {
    const held = this.#held.reduce((sum, { byteLength }) => sum + byteLength, 0);
    const out = this.#out.reduce((sum, { byteLength }) => sum + byteLength, 0);
    return this.#filter.table.byteLength + held + out;
  }

  /** Returns the frames that the input suffices for; valid until the next call. */
  process(block: AudioBlock): AudioBlock {
    const frames = block[0]?.length ?? 0;
    this.#reserve(Math.ceil(((frames + this.#filter.taps) * this.#to) / this.#from) + 1);
    let written = 0;
    for (let from = 0; from < frames; from += PIECE_FRAMES) {
      const to = Math.min(frames, from + PIECE_FRAMES);
      for (let channel = 0; channel < this.#held.length; channel++) {
        const samples = block[channel] as Float32Array;
        (this.#held[channel] as Float64Array).set(samples.subarray(from, to), this.#filled);
      }
      this.#filled += to - from;
      written = this.#write(written, Number.POSITIVE_INFINITY);
    }
    this.#framesIn += frames;
    this.#framesOut += written;
    return this.#out.map((samples) => samples.subarray(0, written));
  }

  /** Returns the remaining frames. */
  end(): AudioBlock {
    const rest = Math.round((this.#framesIn * this.#to) / this.#from) - this.#framesOut;
    this.#reserve(rest);
    let written = 0;
    while (written < rest) {
      const silent = Math.min(PIECE_FRAMES, this.#filter.taps);
      for (const held of this.#held) {
        held.fill(0, this.#filled, this.#filled + silent);
      }
      this.#filled += silent;
      written = this.#write(written, rest);
    }
    this.#framesOut += written;
    return this.#out.map((samples) => samples.subarray(0, rest));
  }

  #reserve(frames: number): void {
    if ((this.#out[0]?.length ?? 0) < frames) {
      this.#out = this.#out.map(() => new Float32Array(frames));
    }
  }

  /** Writes outputs from index `from`, to `max` of them, while there is input. Returns the index after the last. */
  #write(from: number, max: number): number {
    const start = { at: this.#at, phase: this.#phase, index: from };
    let end = start;
    for (let channel = 0; channel < this.#held.length; channel++) {
      const held = this.#held[channel] as Float64Array;
      const out = this.#out[channel] as Float32Array;
      end = convolve(held, this.#filled, this.#filter, this.#ratio, start, out, max);
    }
    // The next output may begin beyond the input that there is.
    const drop = Math.min(end.at, this.#filled);
    for (const held of this.#held) {
      held.copyWithin(0, drop, this.#filled);
    }
    this.#filled -= drop;
    this.#at = end.at - drop;
    this.#phase = end.phase;
    return end.index;
  }
}

/** Reduced ratio of output to input, and the input frames between two outputs with the remainder in `up`ths. */
interface Ratio {
  readonly up: number;
  readonly stepFrames: number;
  readonly stepPhase: number;
}

/** The next output: the first input frame of its filter, its phase in `up`ths of a frame, and its place in the result. */
interface Position {
  readonly at: number;
  readonly phase: number;
  readonly index: number;
}

/** Writes the outputs of one channel up to index `max` that the first `filled` samples suffice for. */
function convolve(
  samples: Float64Array,
  filled: number,
  { taps, table, isExact, phases }: ResamplingFilter,
  { up, stepFrames, stepPhase }: Ratio,
  start: Position,
  out: Float32Array,
  max: number,
): Position {
  const last = filled - taps;
  let { at, phase, index } = start;
  for (; at <= last && index < max; index++) {
    if (isExact) {
      out[index] = dot(samples, at, table, phase * taps, taps);
    } else {
      const position = (phase / up) * phases;
      const row = Math.floor(position);
      const first = dot(samples, at, table, row * taps, taps);
      const second = dot(samples, at, table, (row + 1) * taps, taps);
      out[index] = first + (position - row) * (second - first);
    }
    at += stepFrames;
    phase += stepPhase;
    if (phase >= up) {
      phase -= up;
      at++;
    }
  }
  return { at, phase, index };
}

/** Sum of products; `taps` is a multiple of 4. */
function dot(
  samples: Float64Array,
  at: number,
  table: Float64Array,
  row: number,
  taps: number,
): number {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  for (const end = at + taps; at < end; at += 4, row += 4) {
    a += (samples[at] as number) * (table[row] as number);
    b += (samples[at + 1] as number) * (table[row + 1] as number);
    c += (samples[at + 2] as number) * (table[row + 2] as number);
    d += (samples[at + 3] as number) * (table[row + 3] as number);
  }
  return a + b + (c + d);
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
