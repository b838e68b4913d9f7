import { type AudioBlock, BLOCK_FRAMES_MAX } from "../audio-block.ts";

/** The functions of wasm/samples/samples.c. */
interface Kernel {
  peak(samples: number, count: number): number;
  pack_mono(samples: number, count: number, out: number): void;
  pack_stereo(left: number, right: number, count: number, out: number): void;
}

const PAGE_BYTES = 65_536;
/** The module's own part of the memory (wasm/samples/build.sh). */
const RESERVED_BYTES = 1_024;
const CHANNELS_MAX = 2;
const PLANE_BYTES = BLOCK_FRAMES_MAX * 4;
const OUT_AT = RESERVED_BYTES + CHANNELS_MAX * PLANE_BYTES;
const PAGES = Math.ceil((OUT_AT + CHANNELS_MAX * BLOCK_FRAMES_MAX * 2) / PAGE_BYTES);

/** Loops over the samples of a block that take JavaScript several times as long, because it has no vectors. */
export class SampleKernel {
  readonly #kernel: Kernel;
  readonly #planes: readonly Float32Array[];
  readonly #out: Uint8Array;

  /** `module` is samples.wasm. */
  constructor(module: WebAssembly.Module) {
    const memory = new WebAssembly.Memory({ initial: PAGES, maximum: PAGES });
    const { exports } = new WebAssembly.Instance(module, { env: { memory } });
    // The module has these functions (test/unit/media/dsp/sample-kernel.test.ts).
    this.#kernel = exports as unknown as Kernel;
    const { buffer } = memory;
    this.#planes = Array.from(
      { length: CHANNELS_MAX },
      (_none, channel) =>
        new Float32Array(buffer, RESERVED_BYTES + channel * PLANE_BYTES, BLOCK_FRAMES_MAX),
    );
    this.#out = new Uint8Array(buffer, OUT_AT);
  }

  /** The greatest magnitude in a block. NaN does not count. */
  peakOf(block: AudioBlock): number {
    return block.reduce((most, samples) => {
      const count = this.#take(0, samples);
      return Math.max(most, this.#kernel.peak(RESERVED_BYTES, count));
    }, 0);
  }

  /**
   * The samples of one or two channels as `roundBlock` makes integers of 16 bits of them, interleaved and little-endian.
   * Valid until the next call.
   */
  packShorts(block: AudioBlock): Uint8Array {
    const frames = block[0]?.length ?? 0;
    const [count = 0] = block.map((samples, channel) => this.#take(channel, samples));
    if (block.length === 1) {
      this.#kernel.pack_mono(RESERVED_BYTES, count, OUT_AT);
    } else {
      this.#kernel.pack_stereo(RESERVED_BYTES, RESERVED_BYTES + PLANE_BYTES, count, OUT_AT);
    }
    return this.#out.subarray(0, frames * block.length * 2);
  }

  /** Copies a plane and fills its last vector with zeros. Returns the number of samples in whole vectors. */
  #take(channel: number, samples: Float32Array): number {
    const plane = this.#planes[channel];
    if (plane === undefined) {
      throw new RangeError("A block of more than two channels was to be packed.");
    }
    plane.set(samples);
    const count = Math.ceil(samples.length / 4) * 4;
    plane.fill(0, samples.length, count);
    return count;
  }
}
