/** Changes the duration of a sound and keeps its pitch: signalsmith-stretch's wasm without its glue. */
import { type AudioBlock, BLOCK_FRAMES_MAX, type SoundShape } from "../audio-block.ts";

type Pointer = number;

/** The functions that are called, under the letters that emscripten has given them (a test compares them with the glue). */
interface StretchExports {
  readonly e: WebAssembly.Memory;
  /** __wasm_call_ctors */
  f(): void;
  /** setBuffers: returns where `length` samples of each input channel begin, followed by those of the output. */
  h(channels: number, length: number): Pointer;
  /** inputLatency */
  k(): number;
  /** outputLatency */
  l(): number;
  /** presetDefault */
  n(channels: number, sampleRate: number): void;
  /** process */
  w(inputFrames: number, outputFrames: number): void;
}

/** Names of the package's glue, by the letters above. */
export const STRETCH_NAMES = {
  f: "__wasm_call_ctors",
  h: "setBuffers",
  k: "inputLatency",
  l: "outputLatency",
  n: "presetDefault",
  w: "process",
} as const;

/** Frames of output that one call makes; positions in the input are whole frames at their ends. */
const PIECE = 1024;
const SPEED_MAX = 4;
const INPUT_MAX = PIECE * SPEED_MAX + 1;
/** Stretches far from 1 lose up to 2.5 dB of speech, whose partials drift apart: the level of this time is kept, in seconds. */
const LEVEL_SECONDS = 1;
const LEVEL_GAIN_MAX = 1.5;
const LEVEL_GAIN_MIN = 0.75;
const NOTHING = 1e-15;
const PAGE_BYTES = 64 * 1024;
/** Eight channels at 192 kHz take 18 MB. */
const MEMORY_MAX_BYTES = 40 * 1024 * 1024;

/**
 * Stretches `inputFrames` frames to exactly `outputFrames`, for speeds (input by output) from 0.25 to 4. The same input
 * gives the same output on each machine.
 */
export class TimeStretch {
  readonly #wasm: StretchExports;
  readonly #channels: number;
  readonly #speed: number;
  readonly #outputFrames: number;
  readonly #buffers: Pointer;
  /** Frames that came and were not processed. */
  readonly #waiting: readonly Float32Array[];
  #filled = 0;
  #pieces = 0;
  /** Frames of output that lie before the start of the sound. */
  #early: number;
  #written = 0;
  /** Mean squares of the input of the pieces whose output is to come, and of both sides so far. */
  readonly #powers: number[] = [];
  #powerIn = 0;
  #powerOut = 0;
  readonly #powerKept: number;
  #gain = 1;
  readonly #output: readonly Float32Array[];

  constructor(
    module: WebAssembly.Module,
    { sampleRate, channels }: SoundShape,
    inputFrames: number,
    outputFrames: number,
  ) {
    this.#wasm = instantiate(module);
    this.#channels = channels;
    this.#speed = inputFrames / outputFrames;
    this.#outputFrames = outputFrames;
    this.#wasm.n(channels, sampleRate);
    this.#buffers = this.#wasm.h(channels, INPUT_MAX);
    this.#early = Math.round(this.#wasm.k() / this.#speed) + this.#wasm.l();
    this.#powerKept = Math.exp(-PIECE / (LEVEL_SECONDS * sampleRate));
    this.#powers.length = Math.round(this.#early / PIECE);
    this.#powers.fill(0);
    const all = Array.from({ length: channels });
    this.#waiting = all.map(() => new Float32Array(INPUT_MAX + BLOCK_FRAMES_MAX));
    this.#output = all.map(() => new Float32Array(PIECE));
  }

  /** Memory of the instance, in bytes. */
  get memoryBytes(): number {
    return this.#wasm.e.buffer.byteLength;
  }

  /** Takes the next frames and yields what can be made of them, in blocks that are valid until the next one. */
  *add(block: AudioBlock): Generator<AudioBlock> {
    for (const [channel, waiting] of this.#waiting.entries()) {
      waiting.set(block[channel] ?? new Float32Array(), this.#filled);
    }
    this.#filled += block[0]?.length ?? 0;
    for (let need = this.#need(); need <= this.#filled; need = this.#need()) {
      yield* this.#process(need);
    }
  }

  /** Yields the frames that are left; silence follows the input. */
  *end(): Generator<AudioBlock> {
    while (this.#written < this.#outputFrames) {
      const need = this.#need();
      for (const waiting of this.#waiting) {
        waiting.fill(0, this.#filled, Math.max(need, this.#filled));
      }
      this.#filled = Math.max(need, this.#filled);
      yield* this.#process(need);
    }
  }

  /** Frames of input that belong to the next piece. */
  #need(): number {
    return (
      Math.round((this.#pieces + 1) * PIECE * this.#speed) -
      Math.round(this.#pieces * PIECE * this.#speed)
    );
  }

  /** Gives a piece of output the level that its input had, by a gain that changes slowly. */
  #keepLevel(output: readonly Float32Array[]): void {
    const kept = this.#powerKept;
    this.#powerIn = kept * this.#powerIn + (1 - kept) * (this.#powers.shift() ?? 0);
    this.#powerOut = kept * this.#powerOut + (1 - kept) * meanSquare(output, PIECE);
    const before = this.#gain;
    if (this.#powerOut > NOTHING && this.#powerIn > NOTHING) {
      const gain = Math.sqrt(this.#powerIn / this.#powerOut);
      this.#gain = Math.max(LEVEL_GAIN_MIN, Math.min(LEVEL_GAIN_MAX, gain));
    }
    const step = (this.#gain - before) / PIECE;
    for (const samples of output) {
      for (let i = 0; i < PIECE; i++) {
        samples[i] = (samples[i] ?? 0) * (before + step * (i + 1));
      }
    }
  }

  *#process(need: number): Generator<AudioBlock> {
    const at = (channel: number) => this.#buffers + channel * INPUT_MAX * 4;
    this.#powers.push(meanSquare(this.#waiting, need));
    for (const [channel, waiting] of this.#waiting.entries()) {
      new Float32Array(this.#wasm.e.buffer, at(channel), need).set(waiting.subarray(0, need));
      waiting.copyWithin(0, need, this.#filled);
    }
    this.#filled -= need;
    this.#pieces += 1;
    this.#wasm.w(need, PIECE);
    const output = this.#output.map(
      (_, channel) => new Float32Array(this.#wasm.e.buffer, at(this.#channels + channel), PIECE),
    );
    this.#keepLevel(output);
    const from = Math.min(this.#early, PIECE);
    this.#early -= from;
    const frames = Math.min(PIECE - from, this.#outputFrames - this.#written);
    if (frames > 0) {
      for (const [channel, samples] of this.#output.entries()) {
        samples.set(output[channel]?.subarray(from, from + frames) ?? []);
      }
      this.#written += frames;
      yield this.#output.map((samples) => samples.subarray(0, frames));
    }
  }
}

/** Mean square of the first frames of all channels; 0 if there is none. */
function meanSquare(channels: readonly Float32Array[], frames: number): number {
  let sum = 0;
  for (const samples of channels) {
    for (let i = 0; i < frames; i++) {
      sum += (samples[i] ?? 0) ** 2;
    }
  }
  return frames === 0 ? 0 : sum / (frames * channels.length);
}

function instantiate(module: WebAssembly.Module): StretchExports {
  let wasm: StretchExports | undefined;
  const bytes = () => new Uint8Array(wasm?.e.buffer ?? new ArrayBuffer(0));
  const instance = new WebAssembly.Instance(module, {
    a: {
      // random_get: seeds the phases of stretches beyond 2, with the same bytes each time.
      a: (at: Pointer, length: number) => {
        bytes().fill(0x5a, at, at + length);
        return 0;
      },
      // emscripten_resize_heap: grows by what is needed, not by half.
      b: (wanted: number) => {
        const missing = (wanted >>> 0) - bytes().length;
        if (wanted >>> 0 > MEMORY_MAX_BYTES) {
          throw new Error(`The time stretch asks for ${wanted >>> 0} bytes.`);
        }
        wasm?.e.grow(Math.ceil(missing / PAGE_BYTES));
        return 1;
      },
      // emscripten_memcpy_js
      c: (to: Pointer, from: Pointer, length: number) => {
        bytes().copyWithin(to, from, from + length);
      },
      // abort_js
      d: () => {
        throw new Error("The time stretch ended abnormally.");
      },
    },
  });
  // The exports of this module; a test compares them with the package.
  wasm = instance.exports as unknown as StretchExports;
  wasm.f();
  return wasm;
}
