import type { SoundFormat } from "../../../contracts/media/sound-formats.ts";
import { type AudioBlock, BLOCK_FRAMES_MAX } from "../../audio-block.ts";
import { packIntegers, roundBlock } from "../../dsp/rounding.ts";
import { SampleKernel } from "../../dsp/sample-kernel.ts";
import type { MediaSink } from "../media-sink.ts";

const PCM = 1;
const FLOAT = 3;
/** Heads of RIFF, `fmt ` and `data`, and the 16 bytes of `fmt `. */
const PCM_HEAD_BYTES = 44;
/** `fmt ` of a format other than PCM has two bytes more, and a chunk `fact` follows. */
const FLOAT_HEAD_BYTES = PCM_HEAD_BYTES + 2 + 12;

/** Writes WAV: PCM of 16 or 24 bits, or 32-bit floats. The sizes in its head are set at the end. */
export class WavWriter {
  readonly #sink: MediaSink;
  readonly #format: SoundFormat;
  readonly #integers: Int32Array;
  readonly #bytes: Uint8Array<ArrayBuffer>;
  /** For 16 bits. */
  readonly #kernel: SampleKernel | undefined;
  #frames = 0;

  /** `kernel` is samples.wasm. */
  constructor(sink: MediaSink, format: SoundFormat, kernel: WebAssembly.Module) {
    this.#sink = sink;
    this.#format = format;
    const count = BLOCK_FRAMES_MAX * format.channels;
    const isDeep = format.bitDepth === 24 || format.bitDepth === 32;
    this.#kernel = isDeep ? undefined : new SampleKernel(kernel);
    this.#integers = new Int32Array(format.bitDepth === 24 ? count : 0);
    this.#bytes = new Uint8Array(isDeep ? count * 4 : 0);
  }

  async write(block: AudioBlock): Promise<void> {
    if (this.#frames === 0) {
      await this.#sink.append(this.#head());
    }
    const frames = block[0]?.length ?? 0;
    this.#frames += frames;
    await this.#sink.append(
      this.#kernel?.packShorts(block) ?? this.#bytes.subarray(0, this.#pack(block, frames)),
    );
  }

  /** Returns the number of frames. */
  async end(): Promise<number> {
    if (this.#frames > 0) {
      // A chunk has an even number of bytes; the one that is added does not count.
      if (this.#dataBytes % 2 === 1) {
        await this.#sink.append(new Uint8Array(1));
      }
      this.#sink.patch(0, this.#head());
    }
    return this.#frames;
  }

  get #frameBytes(): number {
    return (this.#format.channels * (this.#format.bitDepth ?? 16)) / 8;
  }

  get #dataBytes(): number {
    return this.#frames * this.#frameBytes;
  }

  /** Samples of more than 16 bits. */
  #pack(block: AudioBlock, frames: number): number {
    const { channels, bitDepth } = this.#format;
    if (bitDepth === 32) {
      const floats = new Float32Array(this.#bytes.buffer);
      for (let channel = 0; channel < channels; channel++) {
        const samples = block[channel] as Float32Array;
        for (let i = 0, at = channel; i < frames; i++, at += channels) {
          floats[at] = samples[i] as number;
        }
      }
      return frames * channels * 4;
    }
    roundBlock(block, 24, this.#integers);
    return packIntegers(this.#integers, frames * channels, 24, this.#bytes);
  }

  #head(): Uint8Array {
    const { channels, sampleRate, bitDepth } = this.#format;
    const isFloat = bitDepth === 32;
    const head = new Uint8Array(isFloat ? FLOAT_HEAD_BYTES : PCM_HEAD_BYTES);
    const view = new DataView(head.buffer);
    const formatBytes = isFloat ? 18 : 16;
    setTag(head, 0, "RIFF");
    const dataBytes = this.#dataBytes;
    view.setUint32(4, head.byteLength - 8 + dataBytes + (dataBytes % 2), true);
    setTag(head, 8, "WAVE");
    setTag(head, 12, "fmt ");
    view.setUint32(16, formatBytes, true);
    view.setUint16(20, isFloat ? FLOAT : PCM, true);
    view.setUint16(22, channels, true);
    view.setUint32(24, sampleRate, true);
    view.setUint32(28, sampleRate * this.#frameBytes, true);
    view.setUint16(32, this.#frameBytes, true);
    view.setUint16(34, bitDepth ?? 16, true);
    if (isFloat) {
      setTag(head, 38, "fact");
      view.setUint32(42, 4, true);
      view.setUint32(46, this.#frames, true);
    }
    setTag(head, head.byteLength - 8, "data");
    view.setUint32(head.byteLength - 4, dataBytes, true);
    return head;
  }
}

function setTag(bytes: Uint8Array, at: number, tag: string): void {
  for (let i = 0; i < 4; i++) {
    bytes[at + i] = tag.charCodeAt(i);
  }
}
