import { type AudioBlock, BLOCK_FRAMES_MAX } from "../../audio-block.ts";
import { viewOf } from "../byte-window.ts";

/** Samples without compression, and the two of ITU-T G.711. */
export type PcmCodec =
  | "pcm_u8"
  | "pcm_s8"
  | "pcm_s16"
  | "pcm_s24"
  | "pcm_s32"
  | "pcm_f32"
  | "pcm_f64"
  | "pcm_alaw"
  | "pcm_mulaw";

export interface PcmLayout {
  readonly codec: PcmCodec;
  readonly channels: number;
  readonly isBigEndian: boolean;
}

/** Bytes of a sample. */
export const PCM_BYTES: Readonly<Record<PcmCodec, number>> = {
  pcm_u8: 1,
  pcm_s8: 1,
  pcm_s16: 2,
  pcm_s24: 3,
  pcm_s32: 4,
  pcm_f32: 4,
  pcm_f64: 8,
  pcm_alaw: 1,
  pcm_mulaw: 1,
};

export function isPcmCodec(codec: string): codec is PcmCodec {
  return Object.hasOwn(PCM_BYTES, codec);
}

/** Bits of a sample; G.711 has 8, which stand for 13 or 14. */
export function pcmBitDepth(codec: PcmCodec): number {
  return PCM_BYTES[codec] * 8;
}

type ReadSample = (view: DataView, at: number) => number;

const G711_ALAW = g711Table(alawSample);
const G711_MULAW = g711Table(mulawSample);

function readerOf({ codec, isBigEndian }: PcmLayout): ReadSample {
  const isLittle = !isBigEndian;
  switch (codec) {
    case "pcm_u8":
      return (view, at) => (view.getUint8(at) - 128) / 128;
    case "pcm_s8":
      return (view, at) => view.getInt8(at) / 128;
    case "pcm_s16":
      return (view, at) => view.getInt16(at, isLittle) / 32_768;
    case "pcm_s24":
      return isLittle
        ? (view, at) => ((view.getInt8(at + 2) << 16) | view.getUint16(at, true)) / 8_388_608
        : (view, at) => ((view.getInt16(at) << 8) | view.getUint8(at + 2)) / 8_388_608;
    case "pcm_s32":
      return (view, at) => view.getInt32(at, isLittle) / 2_147_483_648;
    case "pcm_f32":
      return (view, at) => view.getFloat32(at, isLittle);
    case "pcm_f64":
      return (view, at) => view.getFloat64(at, isLittle);
    case "pcm_alaw":
      // The table has all 256 values of a byte.
      return (view, at) => G711_ALAW[view.getUint8(at)] as number;
    case "pcm_mulaw":
      return (view, at) => G711_MULAW[view.getUint8(at)] as number;
  }
}

/** Converts interleaved samples to planar ones. Integers of up to 24 bits keep their exact value. */
export class PcmConverter {
  readonly #layout: PcmLayout;
  readonly #read: ReadSample;
  readonly #isFloat: boolean;
  readonly #planes: Float32Array[];
  #badFrames = 0;

  constructor(layout: PcmLayout) {
    this.#layout = layout;
    this.#read = readerOf(layout);
    this.#isFloat = layout.codec === "pcm_f32" || layout.codec === "pcm_f64";
    this.#planes = Array.from(
      { length: layout.channels },
      () => new Float32Array(BLOCK_FRAMES_MAX),
    );
  }

  get frameBytes(): number {
    return PCM_BYTES[this.#layout.codec] * this.#layout.channels;
  }

  /** Frames so far with a sample that is not a finite number, or above MAGNITUDE_MAX; such a sample is 0. */
  get badFrames(): number {
    return this.#badFrames;
  }

  /** `bytes` are whole frames, at most `BLOCK_FRAMES_MAX`. The block is valid until the next call. */
  convert(bytes: Uint8Array): AudioBlock {
    const frames = Math.floor(bytes.byteLength / this.frameBytes);
    const { codec, isBigEndian } = this.#layout;
    if (codec === "pcm_s16" && !isBigEndian) {
      this.#convertShorts(bytes, frames);
    } else {
      this.#convertAny(viewOf(bytes), frames);
    }
    if (this.#isFloat) {
      this.#badFrames += silenceBadFrames(this.#planes, frames);
    }
    return this.#planes.map((plane) => plane.subarray(0, frames));
  }

  /** The usual samples, several times faster. */
  #convertShorts(bytes: Uint8Array, frames: number): void {
    const channels = this.#planes.length;
    const isAligned = bytes.byteOffset % 2 === 0;
    const shorts = isAligned
      ? new Int16Array(bytes.buffer, bytes.byteOffset, frames * channels)
      : new Int16Array(bytes.slice(0, frames * channels * 2).buffer);
    for (const [channel, plane] of this.#planes.entries()) {
      for (let i = 0, at = channel; i < frames; i++, at += channels) {
        // The loop stays within the array.
        plane[i] = (shorts[at] as number) / 32_768;
      }
    }
  }

  #convertAny(view: DataView, frames: number): void {
    const read = this.#read;
    const sampleBytes = PCM_BYTES[this.#layout.codec];
    const { frameBytes } = this;
    for (const [channel, plane] of this.#planes.entries()) {
      for (let i = 0, at = channel * sampleBytes; i < frames; i++, at += frameBytes) {
        plane[i] = read(view, at);
      }
    }
  }
}

/**
 * Magnitude of the loudest sample, 160 dB above full scale. Sums and powers of louder ones could exceed 32-bit floats, so
 * they count as damage, like infinity.
 */
const MAGNITUDE_MAX = 1e8;

function silenceBadFrames(planes: readonly Float32Array[], frames: number): number {
  let bad = 0;
  for (let i = 0; i < frames; i++) {
    let isBad = false;
    for (const plane of planes) {
      // False for NaN.
      if (!(Math.abs(plane[i] as number) <= MAGNITUDE_MAX)) {
        plane[i] = 0;
        isBad = true;
      }
    }
    bad += isBad ? 1 : 0;
  }
  return bad;
}

function g711Table(sample: (byte: number) => number): Float32Array {
  return Float32Array.from({ length: 256 }, (_, byte) => sample(byte) / 32_768);
}

/** ITU-T G.711, table 1, in 16 bits. */
function alawSample(byte: number): number {
  const bits = byte ^ 0x55;
  const exponent = (bits >> 4) & 0b111;
  const mantissa = ((bits & 0b1111) << 4) + 8;
  const magnitude = exponent === 0 ? mantissa : (mantissa + 0x100) << (exponent - 1);
  return (bits & 0x80) === 0 ? -magnitude : magnitude;
}

/** ITU-T G.711, table 2, in 16 bits. */
function mulawSample(byte: number): number {
  const bits = ~byte & 0xff;
  const magnitude = ((((bits & 0b1111) << 3) + 0x84) << ((bits >> 4) & 0b111)) - 0x84;
  return (bits & 0x80) === 0 ? magnitude : -magnitude;
}
