import type { EncodedSound, PacketEncoder } from "../../codec/codec.ts";
import { MP3_DECODER_DELAY } from "../../codec/lame-encoder.ts";
import { mp3FrameBytes, mp3HeadFor, mp3SideBytes } from "../../codec/mp3-frame.ts";
import { GrowingNumbers } from "../growing-numbers.ts";
import type { MediaSink } from "../media-sink.ts";
import type { PacketWriter } from "../packet-writer.ts";

/** Of `Info` with all of its four fields, and of LAME's part after it. */
const INFO_BYTES = 120;
const LAME_BYTES = 36;
const ALL_FIELDS = 0xf;
const TOC_ENTRIES = 100;
/** That of LAME's constant rates with its default quality. */
const QUALITY = 57;
const ENCODER = "LAME3.100";
/** Revision 0 of the tag; method 1 is a constant rate, 0 one that is not known. */
const CONSTANT_RATE = 1;
const OTHER_RATE = 0;
/** The largest number of 12 bits. */
const ADDED_MAX = 4_095;

/** CRC-16 of the reflected x¹⁶ + x¹⁵ + x² + 1, which LAME's tag has of the sound and of itself. */
const CRC = Uint16Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let i = 0; i < 8; i++) {
    value = value & 1 ? (value >> 1) ^ 0xa001 : value >> 1;
  }
  return value;
});

function crcOf(bytes: Uint8Array, start: number): number {
  let crc = start;
  for (let i = 0; i < bytes.byteLength; i++) {
    crc = (crc >> 8) ^ (CRC[(crc ^ (bytes[i] as number)) & 0xff] as number);
  }
  return crc;
}

/**
 * Writes MP3: the frames after a silent one with the tags `Info` and LAME, from which players take the number of frames
 * and how much silence the encoder added at both ends. The silent frame is written again at the end.
 */
export class Mp3Writer implements PacketWriter {
  readonly #sink: MediaSink;
  readonly #encoder: Pick<PacketEncoder, "priming">;
  #info = new Uint8Array();
  #packets = 0;
  #packetFrames = 0;
  #crc = 0;
  /** Bytes of each frame, of which the table of contents is made if their rates differ. */
  readonly #sizes = new GrowingNumbers();
  /** Index of the bit rate in the heads; null if they differ. */
  #rate: number | null | undefined;

  constructor(sink: MediaSink, encoder: Pick<PacketEncoder, "priming">) {
    this.#sink = sink;
    this.#encoder = encoder;
  }

  async add({ data, frames }: EncodedSound): Promise<void> {
    if (this.#packets === 0) {
      this.#info = emptyInfo(data);
      await this.#sink.append(this.#info);
    }
    this.#packets++;
    this.#packetFrames += frames;
    this.#crc = crcOf(data, this.#crc);
    this.#sizes.push(data.byteLength);
    const rate = (data[2] ?? 0) >> 4;
    this.#rate = this.#rate === undefined || this.#rate === rate ? rate : null;
    await this.#sink.append(data);
  }

  end(frames: number): Promise<void> {
    const info = this.#info;
    const view = new DataView(info.buffer);
    const at = 4 + mp3SideBytes(info);
    const size = this.#sink.sizeBytes;
    const isConstant = this.#rate !== null;
    setText(info, at, isConstant ? "Info" : "Xing");
    view.setUint32(at + 4, ALL_FIELDS);
    view.setUint32(at + 8, this.#packets);
    view.setUint32(at + 12, size);
    info.set(isConstant ? steadyPlaces() : this.#places(size), at + 16);
    view.setUint32(at + 116, QUALITY);
    const lame = at + INFO_BYTES;
    setText(info, lame, ENCODER);
    info[lame + 9] = isConstant ? CONSTANT_RATE : OTHER_RATE;
    info[lame + 20] = Math.min(255, this.#kilobits(size));
    const delay = this.#encoder.priming - MP3_DECODER_DELAY;
    const padding = Math.min(ADDED_MAX, Math.max(0, this.#packetFrames - delay - frames));
    // Of 12 bits each.
    const delays = (delay << 12) | padding;
    info.set([delays >> 16, delays >> 8, delays], lame + 21);
    view.setUint32(lame + 28, size);
    view.setUint16(lame + 32, this.#crc);
    view.setUint16(lame + 34, crcOf(info.subarray(0, lame + 34), 0));
    this.#sink.patch(0, info);
    return Promise.resolve();
  }

  /** For each hundredth of the duration, the share of the file before it in 256ths. */
  #places(size: number): Uint8Array {
    const places = new Uint8Array(TOC_ENTRIES);
    let [packet, bytes] = [0, this.#info.byteLength];
    for (let percent = 0; percent < TOC_ENTRIES; percent++) {
      for (; packet < Math.floor((percent * this.#packets) / TOC_ENTRIES); packet++) {
        bytes += this.#sizes.at(packet);
      }
      places[percent] = Math.min(255, Math.floor((bytes * 256) / size));
    }
    return places;
  }

  /** Bit rate of the frames in kbit/s; the size and the number of frames state it at a constant rate. */
  #kilobits(size: number): number {
    const bits = (size - this.#info.byteLength) * 8;
    return Math.round((bits * this.#sampleRate()) / (this.#packetFrames * 1000));
  }

  #sampleRate(): number {
    const base = [44_100, 48_000, 32_000][((this.#info[2] as number) >> 2) & 3] ?? 0;
    const version = ((this.#info[1] as number) >> 3) & 3;
    return version === 3 ? base : version === 2 ? base / 2 : base / 4;
  }
}

/** At a constant rate the place is the share of the duration. */
function steadyPlaces(): Uint8Array {
  return Uint8Array.from({ length: TOC_ENTRIES }, (_, percent) =>
    Math.floor((percent * 256) / TOC_ENTRIES),
  );
}

/** A silent frame like `first` with room for the tags. */
function emptyInfo(first: Uint8Array): Uint8Array<ArrayBuffer> {
  const head = mp3HeadFor(first, 4 + mp3SideBytes(first) + INFO_BYTES + LAME_BYTES);
  const info = new Uint8Array(mp3FrameBytes(head, 0) ?? 0);
  info.set(head);
  return info;
}

function setText(bytes: Uint8Array, at: number, text: string): void {
  for (let i = 0; i < text.length; i++) {
    bytes[at + i] = text.charCodeAt(i);
  }
}
