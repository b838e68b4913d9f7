import type { ByteSource } from "../../lib/byte-source.ts";
import { type HeaderWindow, tagAt } from "./header-window.ts";
import { checkedMetadata, type ReadMetadata, UnreadableSoundFile } from "./sound-metadata.ts";

/** The header of a frame (ISO/IEC 11172-3 and 13818-3). */
interface Frame {
  readonly bytes: number;
  readonly samples: number;
  readonly sampleRate: number;
  readonly channels: number;
  readonly isVersion1: boolean;
}

/** In kbit/s, of MPEG 1 and of MPEG 2 and 2.5, by layer. */
const RATES_1 = [
  [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
] as const;
const RATES_2 = [
  [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
] as const;
const SAMPLE_RATES = [44_100, 48_000, 32_000] as const;

const FRAME_HEAD = 4;
/** A frame has at most 2,881 bytes; the head of the next one follows. */
const FRAME_BYTES_MAX = 4_096;
/** Bytes before the first frame, besides tags. */
const GARBAGE_MAX = 32 * 1024;

/** Undefined for bytes that begin no frame. Frames of a free bit rate, which no program writes, count as none. */
function frameAt(view: DataView, at: number): Frame | undefined {
  if (at + FRAME_HEAD > view.byteLength) {
    return undefined;
  }
  const head = view.getUint32(at);
  const version = (head >>> 19) & 0b11;
  const layer = 4 - ((head >>> 17) & 0b11);
  const rateIndex = (head >>> 12) & 0b1111;
  const sampleIndex = (head >>> 10) & 0b11;
  if (head >>> 21 !== 0x7ff || version === 1 || layer === 4 || sampleIndex === 3) {
    return undefined;
  }
  const isVersion1 = version === 3;
  const kilobits = (isVersion1 ? RATES_1 : RATES_2)[layer - 1]?.[rateIndex] ?? 0;
  if (kilobits === 0) {
    return undefined;
  }
  // MPEG 2 has half of the rates of MPEG 1, MPEG 2.5 a quarter.
  const sampleRate =
    (SAMPLE_RATES[sampleIndex] as number) / (isVersion1 ? 1 : version === 2 ? 2 : 4);
  const samples = layer === 1 ? 384 : layer === 3 && !isVersion1 ? 576 : 1_152;
  const slot = layer === 1 ? 4 : 1;
  const slots = Math.floor((samples * kilobits * 125) / (sampleRate * slot)) + ((head >>> 9) & 1);
  return {
    bytes: slots * slot,
    samples,
    sampleRate,
    channels: (head >>> 6) & 0b11 ? (((head >>> 6) & 0b11) === 3 ? 1 : 2) : 2,
    isVersion1,
  };
}

/** Whether frames of one file: bit rates may vary, the rest may not. */
function isLike(a: Frame, b: Frame): boolean {
  return a.sampleRate === b.sampleRate && a.samples === b.samples;
}

/** Position of the first frame, from a position at most `GARBAGE_MAX` before it. Undefined if there is none. */
export async function findMp3Frame(file: HeaderWindow, from: number): Promise<number | undefined> {
  const bytes = await file.upTo(from, GARBAGE_MAX + FRAME_BYTES_MAX);
  const last = Math.min(GARBAGE_MAX, bytes.byteLength - FRAME_HEAD);
  for (let at = 0; at <= last; at++) {
    const frame = frameAt(bytes, at);
    const isEnd = frame !== undefined && from + at + frame.bytes >= file.sizeBytes;
    const next = frame && frameAt(bytes, at + frame.bytes);
    if (frame !== undefined && (next === undefined ? isEnd : isLike(frame, next))) {
      return from + at;
    }
  }
  return undefined;
}

/**
 * The duration of an MP3 whose first frame begins at `start`: from the number of frames that its encoder noted, without
 * the samples that it added, or else by counting the frames.
 */
export async function readMp3(
  source: ByteSource,
  file: HeaderWindow,
  start: number,
): Promise<ReadMetadata> {
  const bytes = await file.upTo(start, FRAME_BYTES_MAX);
  const frame = frameAt(bytes, 0);
  if (frame === undefined) {
    throw new UnreadableSoundFile("has no frame of MP3.");
  }
  const { sampleRate, channels } = frame;
  const samples = notedSamples(bytes, frame) ?? (await countSamples(source, start, frame));
  return checkedMetadata(samples, sampleRate, channels);
}

/** The samples that a Xing, Info or VBRI note in the first frame counts; undefined without one. */
function notedSamples(bytes: DataView, frame: Frame): number | undefined {
  const sideBytes = frame.isVersion1
    ? frame.channels === 1
      ? 17
      : 32
    : frame.channels === 1
      ? 9
      : 17;
  const at = FRAME_HEAD + sideBytes;
  const vbri = FRAME_HEAD + 32;
  if (bytes.byteLength >= vbri + 18 && tagAt(bytes, vbri) === "VBRI") {
    return bytes.getUint32(vbri + 14) * frame.samples;
  }
  if (bytes.byteLength < at + 12 || !["Xing", "Info"].includes(tagAt(bytes, at))) {
    return undefined;
  }
  const flags = bytes.getUint32(at + 4);
  if ((flags & 0b1) === 0) {
    return undefined;
  }
  const all = bytes.getUint32(at + 8) * frame.samples;
  // After the frames: bytes, a table of contents, a quality. LAME's part has its delay and padding at byte 21.
  const lame =
    at +
    12 +
    ((flags & 0b10) === 0 ? 0 : 4) +
    ((flags & 0b100) === 0 ? 0 : 100) +
    ((flags & 0b1000) === 0 ? 0 : 4);
  if (bytes.byteLength < lame + 24 || !/^(LAME|Lavc|Lavf)/.test(tagAt(bytes, lame))) {
    return all;
  }
  const delays = (bytes.getUint16(lame + 21) << 8) | bytes.getUint8(lame + 23);
  const added = (delays >>> 12) + (delays & 0xfff);
  return added < all ? all - added : all;
}

/** Reads the whole file once, in pieces. Bytes outside of frames, such as a tag at the end, are passed over. */
async function countSamples(source: ByteSource, start: number, first: Frame): Promise<number> {
  let samples = 0;
  /** Position in the file of the next frame, and of the held bytes. */
  let next = start;
  let heldFrom = 0;
  let held = new Uint8Array();
  for await (const piece of await source.stream()) {
    const pieceFrom = heldFrom + held.byteLength;
    if (next >= pieceFrom + piece.byteLength) {
      [heldFrom, held] = [pieceFrom + piece.byteLength, new Uint8Array()];
      continue;
    }
    held = joined(held, piece);
    const view = new DataView(held.buffer, held.byteOffset, held.byteLength);
    while (next + FRAME_HEAD <= heldFrom + held.byteLength) {
      const frame = frameAt(view, next - heldFrom);
      const isFrame = frame !== undefined && isLike(frame, first);
      samples += isFrame ? frame.samples : 0;
      next += isFrame ? frame.bytes : 1;
    }
    const kept = Math.max(heldFrom, Math.min(next, heldFrom + held.byteLength));
    held = held.slice(kept - heldFrom);
    heldFrom = kept;
  }
  return samples;
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(a.byteLength + b.byteLength);
  both.set(a);
  both.set(b, a.byteLength);
  return both;
}
