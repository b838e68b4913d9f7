import type { ByteSource } from "../../lib/files/byte-source.ts";
import { MP3_HEAD_BYTES, type Mp3Frame, parseMp3Frame } from "../../lib/mp3-frame.ts";
import { type HeaderWindow, tagAt } from "./header-window.ts";
import { checkedMetadata, type ReadMetadata, UnreadableSoundFile } from "./sound-metadata.ts";

const FRAME_HEAD = MP3_HEAD_BYTES;
/** A frame has at most 2,881 bytes; the head of the next one follows. */
const FRAME_BYTES_MAX = 4_096;
/** Bytes before the first frame, besides tags. */
const GARBAGE_MAX = 32 * 1024;

/** Undefined for bytes that begin no frame. */
function frameAt(view: DataView, at: number): Mp3Frame | undefined {
  return at + FRAME_HEAD > view.byteLength ? undefined : parseMp3Frame(view.getUint32(at));
}

/** Whether frames of one file: bit rates may vary, the rest may not. */
function isLike(a: Mp3Frame, b: Mp3Frame): boolean {
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
function notedSamples(bytes: DataView, frame: Mp3Frame): number | undefined {
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
async function countSamples(source: ByteSource, start: number, first: Mp3Frame): Promise<number> {
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
