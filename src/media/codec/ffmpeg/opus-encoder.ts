import type { AudioBlock } from "../../audio-block.ts";
import { boundedSample } from "../bounded-sample.ts";
import type { EncodedSound, PacketEncoder } from "../codec.ts";
import { CodecInstance } from "./codec-instance.ts";

/** Functions of opus.wasm (wasm/ffmpeg/src/opus.c). */
interface OpusExports {
  open(channels: number, bitsPerSecond: number): number;
  samples(): number;
  packet(): number;
  encode(): number;
}

const SAMPLE_RATE = 48_000;
/** 20 ms, in frames. */
const PACKET_FRAMES = 960;
/** The encoder allocates once: 1.1 MB. */
const MEMORY_BYTES = 2 * 1024 * 1024;
const INITIAL_BYTES = 1024 * 1024;

/** Encodes mono or stereo sound of 48 kHz as Opus with libopus, in packets of 20 ms. */
export class OpusEncoder implements PacketEncoder {
  readonly frameSize = PACKET_FRAMES;
  readonly priming: number;
  /** OpusHead (RFC 7845), with the pre-skip in it. */
  readonly config: Uint8Array;
  readonly #channels: number;
  #instance: CodecInstance<OpusExports> | undefined;
  /** Frames in the module's input. */
  #filled = 0;
  #frames = 0;
  #packets = 0;

  /** Throws RangeError if libopus does not take the shape or the bit rate (500 to 512,000 bit/s for each channel). */
  constructor(module: WebAssembly.Module, channels: 1 | 2, bitsPerSecond: number) {
    this.#channels = channels;
    this.#instance = new CodecInstance<OpusExports>(module, INITIAL_BYTES, MEMORY_BYTES);
    const delay = this.#instance.exports.open(channels, bitsPerSecond);
    if (delay < 0) {
      throw new RangeError(`Opus has no ${channels} channels at ${bitsPerSecond} bit/s.`);
    }
    this.priming = delay;
    this.config = opusHead(channels, delay);
  }

  get memoryBytes(): number {
    return this.#instance?.memoryBytes ?? 0;
  }

  encode(block: AudioBlock): readonly EncodedSound[] {
    const instance = this.#open();
    const packets: EncodedSound[] = [];
    const frames = block[0]?.length ?? 0;
    this.#frames += frames;
    for (let from = 0; from < frames;) {
      const count = Math.min(frames - from, PACKET_FRAMES - this.#filled);
      const input = this.#input(instance);
      for (const [channel, samples] of block.entries()) {
        for (let i = 0; i < count; i++) {
          input[(this.#filled + i) * this.#channels + channel] = boundedSample(
            samples[from + i] as number,
          );
        }
      }
      this.#filled += count;
      from += count;
      if (this.#filled === PACKET_FRAMES) {
        packets.push(this.#encodeInput(instance));
      }
    }
    return packets;
  }

  /** The last packets: with them all samples come out of a decoder that drops the priming. */
  end(): readonly EncodedSound[] {
    const instance = this.#open();
    const packets: EncodedSound[] = [];
    const count = this.#frames === 0 ? 0 : Math.ceil((this.#frames + this.priming) / PACKET_FRAMES);
    while (this.#packets < count) {
      this.#input(instance).fill(0, this.#filled * this.#channels);
      packets.push(this.#encodeInput(instance));
    }
    return packets;
  }

  close(): void {
    this.#instance = undefined;
  }

  #open(): CodecInstance<OpusExports> {
    if (this.#instance === undefined) {
      throw new Error("The encoder is closed.");
    }
    return this.#instance;
  }

  #input(instance: CodecInstance<OpusExports>): Float32Array {
    return instance.floats(instance.exports.samples(), PACKET_FRAMES * this.#channels);
  }

  #encodeInput(instance: CodecInstance<OpusExports>): EncodedSound {
    const bytes = instance.exports.encode();
    if (bytes <= 0) {
      throw new Error("libopus does not encode a packet.");
    }
    this.#filled = 0;
    this.#packets++;
    return {
      data: instance.bytes(instance.exports.packet(), bytes).slice(),
      frames: PACKET_FRAMES,
    };
  }
}

function opusHead(channels: number, preSkip: number): Uint8Array {
  const head = new Uint8Array(19);
  head.set(new TextEncoder().encode("OpusHead"));
  head.set([1, channels], 8);
  const view = new DataView(head.buffer);
  view.setUint16(10, preSkip, true);
  view.setUint32(12, SAMPLE_RATE, true);
  return head;
}
