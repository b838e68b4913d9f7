import type { ResamplingFilter } from "./resampling-filter.ts";

/** `convolve` of wasm/resampler/convolve.c. */
interface Kernel {
  convolve(
    samples: number,
    filled: number,
    table: number,
    taps: number,
    phases: number,
    up: number,
    stepFrames: number,
    stepPhase: number,
    at: number,
    phase: number,
    out: number,
    max: number,
  ): number;
}

/** Reduced ratio of output to input, and the input frames between two outputs with the remainder in `up`ths. */
export interface Ratio {
  readonly up: number;
  readonly stepFrames: number;
  readonly stepPhase: number;
}

/** The next output: the first input frame of its filter, and its phase in `up`ths of a frame. */
export interface Position {
  readonly at: number;
  readonly phase: number;
}

const FLOAT_BYTES = 4;
const PAGE_BYTES = 65_536;
/** The module's own part of the memory (wasm/resampler/build.sh). */
const RESERVED_BYTES = 1_024;

/**
 * A filter with its input and its output, in the memory of a kernel: four products at once, which JavaScript cannot
 * compute. Single precision leaves rounding noise below −130 dB.
 */
export class Convolution {
  readonly #kernel: Kernel;
  readonly #memory: WebAssembly.Memory;
  readonly #filter: ResamplingFilter;
  readonly #ratio: Ratio;
  readonly #table: number;
  readonly #outAt: number;
  readonly #out: Float32Array;
  /** Room for the input of each channel. */
  readonly held: readonly Float32Array[];

  /** `module` is convolve.wasm. `heldFrames` and `outFrames` are the most of one channel. */
  constructor(
    module: WebAssembly.Module,
    filter: ResamplingFilter,
    ratio: Ratio,
    { channels, heldFrames, outFrames }: Record<"channels" | "heldFrames" | "outFrames", number>,
  ) {
    const tableBytes = filter.table.length * FLOAT_BYTES;
    const heldBytes = heldFrames * FLOAT_BYTES;
    const bytes = RESERVED_BYTES + tableBytes + channels * heldBytes + outFrames * FLOAT_BYTES;
    const pages = Math.ceil(bytes / PAGE_BYTES);
    this.#memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
    const { exports } = new WebAssembly.Instance(module, { env: { memory: this.#memory } });
    // The module has this one function (test/unit/media/dsp/convolve-module.test.ts).
    this.#kernel = exports as unknown as Kernel;
    const { buffer } = this.#memory;
    this.#filter = filter;
    this.#ratio = ratio;
    this.#table = RESERVED_BYTES;
    new Float32Array(buffer, this.#table, filter.table.length).set(filter.table);
    const heldAt = this.#table + tableBytes;
    this.held = Array.from(
      { length: channels },
      (_none, channel) => new Float32Array(buffer, heldAt + channel * heldBytes, heldFrames),
    );
    this.#outAt = heldAt + channels * heldBytes;
    this.#out = new Float32Array(buffer, this.#outAt, outFrames);
  }

  get memoryBytes(): number {
    return this.#memory.buffer.byteLength;
  }

  /**
   * Returns the outputs of a channel from a position on, at most `max`, for which its first `filled` samples suffice;
   * valid until the next call.
   */
  run(channel: number, filled: number, { at, phase }: Position, max: number): Float32Array {
    const { taps, phases, isExact } = this.#filter;
    const { up, stepFrames, stepPhase } = this.#ratio;
    const written = this.#kernel.convolve(
      (this.held[channel] as Float32Array).byteOffset,
      filled,
      this.#table,
      taps,
      isExact ? 0 : phases,
      up,
      stepFrames,
      stepPhase,
      at,
      phase,
      this.#outAt,
      Math.min(max, this.#out.length),
    );
    return this.#out.subarray(0, written);
  }

  /** The position after so many outputs. */
  after({ at, phase }: Position, outputs: number): Position {
    const { up, stepFrames, stepPhase } = this.#ratio;
    const phases = phase + outputs * stepPhase;
    return {
      at: at + outputs * stepFrames + Math.floor(phases / up),
      phase: phases % up,
    };
  }
}
