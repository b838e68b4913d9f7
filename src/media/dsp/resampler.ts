import type { AudioBlock } from "../audio-block.ts";
import { Convolution, type Position } from "./convolution.ts";
import { resamplingFilter } from "./resampling-filter.ts";

/** Room for input besides the filter's length; a longer block is taken in pieces. */
const PIECE_FRAMES = 8_192;

/**
 * Changes the sample rate by a polyphase windowed sinc: linear phase, no delay, round(n × to / from) frames in all. The
 * sound is silent before its first and after its last sample. Memory does not depend on the duration.
 */
export class Resampler {
  readonly #from: number;
  readonly #to: number;
  readonly #taps: number;
  readonly #convolution: Convolution;
  /** Frames of input that are still needed. */
  #filled: number;
  #out: readonly Float32Array[];
  /** Of the next output, in the input that is held. */
  #next: Position = { at: 0, phase: 0 };
  #framesIn = 0;
  #framesOut = 0;

  /** Rates are whole numbers of Hz; `kernel` is convolve.wasm. */
  constructor(kernel: WebAssembly.Module, from: number, to: number, channels: number) {
    const divisor = greatestCommonDivisor(from, to);
    const [up, down] = [to / divisor, from / divisor];
    this.#from = from;
    this.#to = to;
    const filter = resamplingFilter(from, to, up);
    this.#taps = filter.taps;
    const heldFrames = filter.taps + PIECE_FRAMES;
    this.#convolution = new Convolution(
      kernel,
      filter,
      { up, stepFrames: Math.floor(down / up), stepPhase: down % up },
      { channels, heldFrames, outFrames: Math.ceil((heldFrames * to) / from) + 1 },
    );
    // The frames before the first one, which are silent.
    this.#filled = filter.taps / 2 - 1;
    this.#out = Array.from({ length: channels }, () => new Float32Array(0));
  }

  get memoryBytes(): number {
    const out = this.#out.reduce((sum, { byteLength }) => sum + byteLength, 0);
    return this.#convolution.memoryBytes + out;
  }

  /** Returns the frames that the input suffices for; valid until the next call. */
  process(block: AudioBlock): AudioBlock {
    const frames = block[0]?.length ?? 0;
    this.#reserve(Math.ceil(((frames + this.#taps) * this.#to) / this.#from) + 1);
    let written = 0;
    for (let from = 0; from < frames; from += PIECE_FRAMES) {
      const to = Math.min(frames, from + PIECE_FRAMES);
      for (const [channel, held] of this.#convolution.held.entries()) {
        held.set((block[channel] as Float32Array).subarray(from, to), this.#filled);
      }
      this.#filled += to - from;
      written = this.#write(written, Number.MAX_SAFE_INTEGER);
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
      const silent = Math.min(PIECE_FRAMES, this.#taps);
      for (const held of this.#convolution.held) {
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
    const convolution = this.#convolution;
    let count = 0;
    for (const [channel, out] of this.#out.entries()) {
      const made = convolution.run(channel, this.#filled, this.#next, max - from);
      out.set(made, from);
      count = made.length;
    }
    const { at, phase } = convolution.after(this.#next, count);
    // The next output may begin beyond the input that there is.
    const drop = Math.min(at, this.#filled);
    for (const held of convolution.held) {
      held.copyWithin(0, drop, this.#filled);
    }
    this.#filled -= drop;
    this.#next = { at: at - drop, phase };
    return from + count;
  }
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
