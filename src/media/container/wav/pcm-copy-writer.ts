import type { MediaSink } from "../media-sink.ts";
import { PCM_BYTES, type PcmCodec, type PcmLayout } from "./pcm.ts";

const TAGS: Readonly<Record<PcmCodec, number>> = {
  pcm_u8: 1,
  pcm_s8: 1,
  pcm_s16: 1,
  pcm_s24: 1,
  pcm_s32: 1,
  pcm_f32: 3,
  pcm_f64: 3,
  pcm_alaw: 6,
  pcm_mulaw: 7,
};
/** A sample of silence, where it is not made of zeros. */
const SILENCE: Readonly<Partial<Record<PcmCodec, number>>> = {
  pcm_u8: 0x80,
  pcm_s8: 0x80,
  pcm_alaw: 0xd5,
  pcm_mulaw: 0xff,
};
const HEAD_BYTES = 58;
const SILENCE_BYTES = 65_536;

/**
 * Writes PCM of a movie as WAV: the same samples, with the lower byte first. WAV has unsigned samples of 8 bits, so that signed ones
 * are moved by 128.
 */
export class PcmCopyWriter {
  readonly #sink: MediaSink;
  readonly #layout: PcmLayout;
  readonly #sampleRate: number;
  #frames = 0;

  constructor(sink: MediaSink, layout: PcmLayout, sampleRate: number) {
    this.#sink = sink;
    this.#layout = layout;
    this.#sampleRate = sampleRate;
  }

  get frames(): number {
    return this.#frames;
  }

  get #frameBytes(): number {
    return PCM_BYTES[this.#layout.codec] * this.#layout.channels;
  }

  /** Whole frames. */
  async write(frames: Uint8Array): Promise<void> {
    await this.#begin();
    this.#frames += frames.byteLength / this.#frameBytes;
    await this.#sink.append(this.#converted(frames));
  }

  async writeSilence(frames: number): Promise<void> {
    await this.#begin();
    this.#frames += frames;
    const piece = new Uint8Array(SILENCE_BYTES).fill(SILENCE[this.#layout.codec] ?? 0);
    for (let left = frames * this.#frameBytes; left > 0; left -= piece.byteLength) {
      // oxlint-disable-next-line no-await-in-loop -- piece after piece
      await this.#sink.append(piece.subarray(0, Math.min(left, piece.byteLength)));
    }
  }

  async end(): Promise<void> {
    if ((this.#frames * this.#frameBytes) % 2 === 1) {
      await this.#sink.append(new Uint8Array(1));
    }
    this.#sink.patch(0, this.#head());
  }

  async #begin(): Promise<void> {
    if (this.#frames === 0) {
      await this.#sink.append(this.#head());
    }
  }

  #converted(frames: Uint8Array): Uint8Array {
    const { codec, isBigEndian } = this.#layout;
    const size = PCM_BYTES[codec];
    if (codec === "pcm_s8") {
      return frames.map((byte) => byte ^ 0x80);
    }
    if (!isBigEndian || size === 1) {
      return frames;
    }
    const swapped = new Uint8Array(frames.byteLength);
    for (let at = 0; at < frames.byteLength; at += size) {
      for (let i = 0; i < size; i++) {
        swapped[at + i] = frames[at + size - 1 - i] ?? 0;
      }
    }
    return swapped;
  }

  /** A head with `fact`, which all formats but PCM need and PCM may have. */
  #head(): Uint8Array {
    const { codec, channels } = this.#layout;
    const bytes = this.#frames * this.#frameBytes;
    const head = new Uint8Array(HEAD_BYTES);
    const view = new DataView(head.buffer);
    const text = (at: number, tag: string) => {
      head.set(new TextEncoder().encode(tag), at);
    };
    text(0, "RIFF");
    view.setUint32(4, HEAD_BYTES - 8 + bytes + (bytes % 2), true);
    text(8, "WAVEfmt ");
    view.setUint32(16, 18, true);
    view.setUint16(20, TAGS[codec], true);
    view.setUint16(22, channels, true);
    view.setUint32(24, this.#sampleRate, true);
    view.setUint32(28, this.#sampleRate * this.#frameBytes, true);
    view.setUint16(32, this.#frameBytes, true);
    view.setUint16(34, PCM_BYTES[codec] * 8, true);
    text(38, "fact");
    view.setUint32(42, 4, true);
    view.setUint32(46, this.#frames, true);
    text(50, "data");
    view.setUint32(54, bytes, true);
    return head;
  }
}
