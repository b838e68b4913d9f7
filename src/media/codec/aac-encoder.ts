import type { AudioBlock, SoundShape } from "../audio-block.ts";
import { boundedSample } from "./bounded-sample.ts";
import type { EncodedSound, PacketEncoder } from "./codec.ts";
import { WasmCodec, type WasmCodecNames } from "./wasm-codec.ts";

type Pointer = number;

/** Functions of the bridge in @mediabunny/aac-encoder 1.59.0, by the letters of its build. */
interface Aac {
  /** init_encoder(channels, rate, bits a second). Returns 0 if FFmpeg's encoder does not have them. */
  t(channels: number, sampleRate: number, bitsPerSecond: number): Pointer;
  /** get_encoder_frame_size. */
  v(encoder: Pointer): number;
  /** get_encoder_extradata and its size. */
  w(encoder: Pointer): Pointer;
  x(encoder: Pointer): number;
  /** get_encode_input_ptr(encoder, bytes): room for interleaved 32-bit floats. */
  y(encoder: Pointer, bytes: number): Pointer;
  /** send_frame(encoder, time). Returns a negative code if it fails. */
  A(encoder: Pointer, time: bigint): number;
  /** receive_packet: its size, 0 if there is none. */
  B(encoder: Pointer): number;
  /** flush_encoder_start. */
  C(encoder: Pointer): void;
  /** get_encoded_data. */
  E(encoder: Pointer): Pointer;
}

const NAMES: WasmCodecNames = {
  memory: "r",
  begin: "s",
  grow: "m",
  exits: ["f", "j"],
  environment: ["c", "b"],
};

/** FFmpeg's AAC-LC encoder. The rate must be one of MPEG-4 (`contracts/sound-formats.ts`). */
export class AacEncoder implements PacketEncoder {
  readonly frameSize: number;
  /** One packet: each is decoded with the one before it. */
  readonly priming: number;
  /** AudioSpecificConfig. */
  readonly config: Uint8Array;
  readonly #codec: WasmCodec<Aac>;
  readonly #encoder: Pointer;
  readonly #channels: number;
  /** Interleaved frames that do not fill a packet yet. */
  readonly #held: Float32Array;
  #filled = 0;
  #time = 0;

  constructor(
    module: WebAssembly.Module,
    { sampleRate, channels }: SoundShape,
    bitrateKbps: number,
  ) {
    this.#codec = new WasmCodec<Aac>(module, NAMES);
    this.#channels = channels;
    const { exports } = this.#codec;
    this.#encoder = exports.t(channels, sampleRate, bitrateKbps * 1000);
    if (this.#encoder === 0) {
      throw new Error("The AAC encoder did not start.");
    }
    this.frameSize = exports.v(this.#encoder);
    this.priming = this.frameSize;
    this.config = this.#codec.copy(exports.w(this.#encoder), exports.x(this.#encoder));
    this.#held = new Float32Array(this.frameSize * channels);
  }

  get memoryBytes(): number {
    return this.#codec.memoryBytes;
  }

  encode(block: AudioBlock): readonly EncodedSound[] {
    const frames = block[0]?.length ?? 0;
    const packets: EncodedSound[] = [];
    const channels = this.#channels;
    for (let from = 0; from < frames;) {
      const count = Math.min(frames - from, this.frameSize - this.#filled);
      for (let channel = 0; channel < channels; channel++) {
        const samples = block[channel] as Float32Array;
        let at = this.#filled * channels + channel;
        for (let i = from; i < from + count; i++, at += channels) {
          this.#held[at] = boundedSample(samples[i] as number);
        }
      }
      from += count;
      this.#filled += count;
      if (this.#filled === this.frameSize) {
        this.#send(packets);
      }
    }
    return packets;
  }

  end(): readonly EncodedSound[] {
    const packets: EncodedSound[] = [];
    if (this.#filled > 0) {
      this.#held.fill(0, this.#filled * this.#channels);
      this.#send(packets);
    }
    this.#codec.exports.C(this.#encoder);
    this.#receive(packets);
    return packets;
  }

  close(): void {
    // The instance goes with its owner; there is nothing else to free.
  }

  #send(packets: EncodedSound[]): void {
    const { exports } = this.#codec;
    const at = exports.y(this.#encoder, this.#held.byteLength);
    if (at === 0) {
      throw new Error("The AAC encoder has no memory left.");
    }
    new Float32Array(this.#codec.buffer, at, this.#held.length).set(this.#held);
    const code = exports.A(this.#encoder, BigInt(this.#time));
    if (code < 0) {
      throw new Error(`The AAC encoder failed with ${String(code)}.`);
    }
    this.#time += this.frameSize;
    this.#filled = 0;
    this.#receive(packets);
  }

  #receive(packets: EncodedSound[]): void {
    const { exports } = this.#codec;
    for (;;) {
      const bytes = exports.B(this.#encoder);
      if (bytes === 0) {
        return;
      }
      if (bytes < 0) {
        throw new Error(`The AAC encoder failed with ${String(bytes)}.`);
      }
      const data = this.#codec.copy(exports.E(this.#encoder), bytes);
      packets.push({ data, frames: this.frameSize });
    }
  }
}
