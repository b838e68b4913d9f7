import { createHash } from "node:crypto";
import { type AudioBlock, BLOCK_FRAMES_MAX, type SoundShape } from "../audio-block.ts";
import { type IntegerDepth, packIntegers, roundBlock } from "../dsp/rounding.ts";
import type { EncodedSound, PacketEncoder } from "./codec.ts";
import { flacStreamInfo, takeRateFromStreamInfo } from "./flac-frame.ts";
import { WasmCodec, type WasmCodecNames } from "./wasm-codec.ts";

type Pointer = number;

/** Functions of the bridge in @mediabunny/flac-encoder 1.58.1, by the letters of its build. */
interface Flac {
  /** init_encoder(channels, rate, bits): compression level 5. Returns 0 if libFLAC does not accept them. */
  l(channels: number, sampleRate: number, bits: number): Pointer;
  /** get_encode_input_ptr(encoder, bytes): room for interleaved integers in the upper bits of 32. */
  n(encoder: Pointer, bytes: number): Pointer;
  /** send_samples(encoder, frames). Returns a negative code if it fails. */
  o(encoder: Pointer, frames: number): number;
  /** get_output_data, get_frame_count, get_frame_size and get_frame_samples of the call before. */
  p(encoder: Pointer): Pointer;
  q(encoder: Pointer): number;
  r(encoder: Pointer, index: number): number;
  s(encoder: Pointer, index: number): number;
  /** finish_encoder. Returns a negative code if it fails. */
  v(encoder: Pointer): number;
}

const NAMES: WasmCodecNames = {
  memory: "j",
  begin: "k",
  grow: "e",
  exits: ["a", "c"],
  environment: undefined,
};

/** Of compression level 5. */
const BLOCK_FRAMES = 4_096;
/** A rate of the format's table, which takes no bytes in the head of a frame. */
const RATE_IN_TABLE = 96_000;
/** Rates up to here fit the head of a frame in Hz, and larger ones in tens of Hz. */
const RATE_IN_HZ_MAX = 65_535;

/**
 * libFLAC at compression level 5, with 16 or 24 bits. It writes each sample rate: one that the head of a frame cannot
 * state is in STREAMINFO alone.
 */
export class FlacEncoder implements PacketEncoder {
  readonly frameSize = 0;
  readonly priming = 0;
  readonly #codec: WasmCodec<Flac>;
  readonly #encoder: Pointer;
  readonly #shape: SoundShape;
  readonly #depth: IntegerDepth;
  readonly #isRateInHeads: boolean;
  readonly #integers: Int32Array;
  readonly #packed: Uint8Array;
  readonly #hash = createHash("md5");
  #md5: Uint8Array | undefined;
  #frames = 0;
  #minFrameBytes = 0;
  #maxFrameBytes = 0;

  constructor(module: WebAssembly.Module, shape: SoundShape, depth: IntegerDepth) {
    const { sampleRate, channels } = shape;
    this.#codec = new WasmCodec<Flac>(module, NAMES);
    this.#shape = shape;
    this.#depth = depth;
    this.#isRateInHeads = sampleRate <= RATE_IN_HZ_MAX || sampleRate % 10 === 0;
    const rateInHeads = this.#isRateInHeads ? sampleRate : RATE_IN_TABLE;
    this.#encoder = this.#codec.exports.l(channels, rateInHeads, depth);
    if (this.#encoder === 0) {
      throw new Error("The FLAC encoder did not start.");
    }
    this.#integers = new Int32Array(BLOCK_FRAMES_MAX * channels);
    this.#packed = new Uint8Array((BLOCK_FRAMES_MAX * channels * depth) / 8);
  }

  get memoryBytes(): number {
    return this.#codec.memoryBytes;
  }

  /** STREAMINFO; complete after `end`. */
  get config(): Uint8Array {
    return flacStreamInfo({
      blockFrames: BLOCK_FRAMES,
      minFrameBytes: this.#minFrameBytes,
      maxFrameBytes: this.#maxFrameBytes,
      ...this.#shape,
      depth: this.#depth,
      frames: this.#frames,
      md5: this.#md5,
    });
  }

  encode(block: AudioBlock): readonly EncodedSound[] {
    const frames = block[0]?.length ?? 0;
    const count = frames * this.#shape.channels;
    roundBlock(block, this.#depth, this.#integers);
    const bytes = packIntegers(this.#integers, count, this.#depth, this.#packed);
    this.#hash.update(this.#packed.subarray(0, bytes));
    const at = this.#codec.exports.n(this.#encoder, count * 4);
    if (at === 0) {
      throw new Error("The FLAC encoder has no memory left.");
    }
    const input = new Int32Array(this.#codec.buffer, at, count);
    const shift = 32 - this.#depth;
    for (let i = 0; i < count; i++) {
      input[i] = (this.#integers[i] as number) << shift;
    }
    this.#frames += frames;
    return this.#take(this.#codec.exports.o(this.#encoder, frames));
  }

  end(): readonly EncodedSound[] {
    this.#md5 = this.#hash.digest();
    return this.#take(this.#codec.exports.v(this.#encoder));
  }

  close(): void {
    // The instance goes with its owner; there is nothing else to free.
  }

  #take(code: number): readonly EncodedSound[] {
    if (code < 0) {
      throw new Error(`The FLAC encoder failed with ${String(code)}.`);
    }
    const { exports } = this.#codec;
    const packets: EncodedSound[] = [];
    const count = exports.q(this.#encoder);
    let at = exports.p(this.#encoder);
    for (let index = 0; index < count; index++) {
      const bytes = exports.r(this.#encoder, index);
      const data = this.#codec.copy(at, bytes);
      at += bytes;
      if (!this.#isRateInHeads) {
        takeRateFromStreamInfo(data);
      }
      packets.push({ data, frames: exports.s(this.#encoder, index) });
      this.#maxFrameBytes = Math.max(this.#maxFrameBytes, bytes);
      this.#minFrameBytes = Math.min(this.#minFrameBytes || bytes, bytes);
    }
    return packets;
  }
}
