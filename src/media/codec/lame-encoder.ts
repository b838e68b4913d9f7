import { type AudioBlock, BLOCK_FRAMES_MAX, type SoundShape } from "../audio-block.ts";
import { roundBlock } from "../dsp/rounding.ts";
import type { EncodedSound, PacketEncoder } from "./codec.ts";
import { mp3FrameBytes, mp3FrameSamples } from "./mp3-frame.ts";
import { WasmCodec, type WasmCodecNames } from "./wasm-codec.ts";

type Pointer = number;

/** Functions of the bridge in @mediabunny/mp3-encoder 1.61.0, by the letters of its build. */
interface Lame {
  /** init_lame(channels, rate, bits a second): constant rate, joint stereo, without the frame that has LAME's tag. */
  g(channels: number, sampleRate: number, bitsPerSecond: number): Pointer;
  /** encode_samples(lame, left, right, frames, out, room): 16-bit samples. Returns bytes, or a negative code. */
  h(
    lame: Pointer,
    left: Pointer,
    right: Pointer,
    frames: number,
    out: Pointer,
    room: number,
  ): number;
  /** flush_lame(lame, out, room). */
  i(lame: Pointer, out: Pointer, room: number): number;
  /** malloc. */
  l(bytes: number): Pointer;
}

const NAMES: WasmCodecNames = {
  memory: "e",
  begin: "f",
  grow: "c",
  exits: ["a"],
  environment: undefined,
};

/** LAME's own bound: 1.25 bytes a frame of samples, and what it has kept. */
const OUT_BYTES = Math.ceil(1.25 * BLOCK_FRAMES_MAX) + 7_200;
/**
 * Where the matrix is by which LAME multiplies left and right, from the address that `init_lame` returns, in this build.
 * LAME's presets set it to 0.95 below 192 kbit/s and 0.97 there, so that loud sounds do not clip after decoding: half a
 * decibel that nobody asked for. The levels that a node has set are kept instead.
 */
const MATRIX_OFFSET = 580;
/** Frames of silence that LAME puts before the first sample. */
const ENCODER_DELAY = 576;
/** Frames that each decoder of layer III adds: 528 of its filters and one by convention. */
export const MP3_DECODER_DELAY = 529;

/**
 * LAME 3.100 at a constant bit rate. The rate must be one of MPEG 1, 2 or 2.5 and the bit rate one that LAME has there
 * (`contracts/sound-formats.ts`). Samples are rounded to 16 bits,
 * because this build has no function that takes others: an error of −98 dB, far below that of layer III.
 */
export class LameEncoder implements PacketEncoder {
  readonly frameSize: number;
  readonly priming = ENCODER_DELAY + MP3_DECODER_DELAY;
  readonly config = new Uint8Array();
  readonly #codec: WasmCodec<Lame>;
  readonly #lame: Pointer;
  readonly #in: Pointer;
  readonly #out: Pointer;
  readonly #channels: number;
  /** Bytes of a frame that is not complete. */
  #rest = new Uint8Array();

  constructor(
    module: WebAssembly.Module,
    { sampleRate, channels }: SoundShape,
    bitrateKbps: number,
  ) {
    this.#codec = new WasmCodec<Lame>(module, NAMES);
    this.#channels = channels;
    this.frameSize = mp3FrameSamples(sampleRate);
    const { exports } = this.#codec;
    this.#lame = exports.g(channels, sampleRate, bitrateKbps * 1000);
    this.#in = exports.l(BLOCK_FRAMES_MAX * 2 * channels);
    this.#out = exports.l(OUT_BYTES);
    if (this.#lame === 0 || this.#in === 0 || this.#out === 0) {
      throw new Error("LAME did not start.");
    }
    this.#keepLevel();
  }

  get memoryBytes(): number {
    return this.#codec.memoryBytes;
  }

  encode(block: AudioBlock): readonly EncodedSound[] {
    const frames = block[0]?.length ?? 0;
    for (let channel = 0; channel < this.#channels; channel++) {
      const at = this.#in + channel * BLOCK_FRAMES_MAX * 2;
      const samples = new Int16Array(this.#codec.buffer, at, frames);
      roundBlock([block[channel] as Float32Array], 16, samples);
    }
    const right = this.#in + (this.#channels - 1) * BLOCK_FRAMES_MAX * 2;
    const { exports } = this.#codec;
    return this.#take(exports.h(this.#lame, this.#in, right, frames, this.#out, OUT_BYTES));
  }

  end(): readonly EncodedSound[] {
    return this.#take(this.#codec.exports.i(this.#lame, this.#out, OUT_BYTES));
  }

  close(): void {
    // The instance goes with its owner; there is nothing else to free.
  }

  /** Sets LAME's own gain to 1. */
  #keepLevel(): void {
    const matrix = new Float32Array(this.#codec.buffer, this.#lame + MATRIX_OFFSET, 4);
    const [left = 0, toRight, toLeft, right] = matrix;
    if (!(left > 0.9 && left <= 1) || right !== left || toRight !== 0 || toLeft !== 0) {
      throw new Error("LAME's matrix is not where its build 3.100 has it.");
    }
    matrix.set([1, 0, 0, 1]);
  }

  /** The frames in the bytes that LAME has written, which end anywhere. */
  #take(bytes: number): readonly EncodedSound[] {
    if (bytes < 0) {
      throw new Error(`LAME failed with ${String(bytes)}.`);
    }
    const held = this.#rest.byteLength;
    const all = new Uint8Array(held + bytes);
    all.set(this.#rest);
    all.set(new Uint8Array(this.#codec.buffer, this.#out, bytes), held);
    const packets: EncodedSound[] = [];
    let at = 0;
    for (;;) {
      const size = mp3FrameBytes(all, at);
      if (size === undefined || at + size > all.byteLength) {
        break;
      }
      packets.push({ data: all.subarray(at, at + size), frames: this.frameSize });
      at += size;
    }
    this.#rest = all.slice(at);
    return packets;
  }
}
