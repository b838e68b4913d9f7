import { MP3_HEAD_BYTES, type Mp3Frame, parseMp3Frame } from "../../../lib/mp3-frame.ts";
import { type ByteWindow, textAt, viewOf } from "../byte-window.ts";
import { PacketBudget } from "../media-caps.ts";
import { truncatedMedia, unreadableMedia, unsupportedCodec } from "../media-error.ts";
import type { MediaPacket, MediaTrack, PacketRange, SoundTrim } from "../media-track.ts";
import { frameStream } from "../frame-stream.ts";
import { readXingHeader, type XingHeader } from "./xing-header.ts";

/** Samples by which every decoder of layer III is late: half a window and one. */
const DECODER_DELAY = 529;
/** Bytes before the first frame, besides tags. */
const GARBAGE_MAX = 64 * 1024;
const FRAME_BYTES_MAX = 2_881;
/** Tags at the end, which the note of an encoder may count or not. */
const TAIL_BYTES_MAX = 64 * 1024;

/** Finds the first frame at or after a position. Undefined if there is none within 64 KiB. */
export async function findMp3(
  window: ByteWindow,
  from: number,
): Promise<{ readonly at: number; readonly frame: Mp3Frame } | undefined> {
  const bytes = await window.read(from, GARBAGE_MAX + FRAME_BYTES_MAX + MP3_HEAD_BYTES);
  const view = viewOf(bytes);
  const frameAt = (at: number) =>
    at + MP3_HEAD_BYTES <= bytes.byteLength ? parseMp3Frame(view.getUint32(at)) : undefined;
  for (
    let at = bytes.indexOf(0xff);
    at >= 0 && at <= GARBAGE_MAX;
    at = bytes.indexOf(0xff, at + 1)
  ) {
    const frame = frameAt(at);
    if (frame !== undefined) {
      const next = frameAt(at + frame.bytes);
      const isLast = from + at + frame.bytes >= window.sizeBytes;
      if (next === undefined ? isLast : isLike(frame, next)) {
        return { at: from + at, frame };
      }
    }
  }
  return undefined;
}

/** Whether frames of one file: bit rates and a joint stereo may vary, the rest may not. */
function isLike(a: Mp3Frame, b: Mp3Frame): boolean {
  return a.sampleRate === b.sampleRate && a.samples === b.samples && a.layer === b.layer;
}

/** Opens an MP3 whose first frame begins at `at`. Throws NodeError with a code of docs/contract/media.md. */
export async function openMp3(
  window: ByteWindow,
  at: number,
  frame: Mp3Frame,
): Promise<MediaTrack> {
  if (frame.layer !== 3) {
    throw unsupportedCodec("sound", `MPEG audio layer ${frame.layer === 1 ? "I" : "II"}`);
  }
  const xing = readXingHeader(await window.read(at, Math.min(frame.bytes, 512)), frame);
  const start = xing === undefined ? at : at + frame.bytes;
  const counted = xing === undefined ? null : countedFrames(xing, at, window.sizeBytes);
  const { samples, sampleRate, channels } = frame;
  return {
    id: 1,
    kind: "sound",
    codec: "mp3",
    codecId: "mp3",
    timeScale: sampleRate,
    duration: counted === null ? null : counted * samples,
    packetCount: counted,
    language: "und",
    config: new Uint8Array(0),
    sound: {
      sampleRate,
      channels,
      bitDepth: null,
      trim: trimOf(xing, counted, samples),
      packetFrames: samples,
    },
    picture: null,
    edits: [],
    description: null,
    prepare: () => Promise.resolve(),
    packets: (range) => mp3Packets(window, start, frame, counted, range),
  };
}

/**
 * The number of frames by the note, or null where the file is longer than the note says: several files one after another,
 * of which the note describes the first.
 */
function countedFrames(xing: XingHeader, at: number, sizeBytes: number): number | null {
  const isShorter = xing.bytes !== null && at + xing.bytes + TAIL_BYTES_MAX < sizeBytes;
  return isShorter ? null : xing.frames;
}

function trimOf(xing: XingHeader | undefined, counted: number | null, samples: number): SoundTrim {
  const added = xing?.added;
  if (added === undefined || added === null) {
    return { skip: 0, frames: counted === null ? null : counted * samples };
  }
  const skip = added.delay + DECODER_DELAY;
  const frames =
    counted === null ? null : Math.max(0, counted * samples - added.delay - added.padding);
  return { skip, frames };
}

async function* mp3Packets(
  window: ByteWindow,
  start: number,
  first: Mp3Frame,
  counted: number | null,
  range: PacketRange = {},
): AsyncGenerator<MediaPacket> {
  const budget = new PacketBudget();
  const { samples } = first;
  const from = range.from ?? 0;
  let number = 0;
  let cut = 0;
  const frames = frameStream(window, start, {
    headBytes: MP3_HEAD_BYTES,
    lengthAt(head) {
      const frame = parseMp3Frame(viewOf(head).getUint32(0));
      return frame !== undefined && isLike(frame, first) ? frame.bytes : undefined;
    },
    tagBytes: mp3TagBytes,
  });
  for await (const { data, lostBytes, isCut } of frames) {
    if (isCut) {
      cut = 1;
      break;
    }
    const lost =
      lostBytes === 0 ? 0 : Math.max(1, Math.round(lostBytes / Math.max(data.byteLength, 1)));
    number += lost;
    budget.add(lost + 1);
    const pts = number * samples;
    number++;
    if (pts + samples > from) {
      yield {
        data,
        pts,
        dts: pts,
        duration: samples,
        isKey: true,
        ...(lost > 0 && { lost: { packets: lost, frames: lost * samples } }),
      };
    }
  }
  // One packet that was cut at the end is dropped.
  if (counted !== null && number + cut < counted) {
    throw truncatedMedia(`is an MP3 with ${number} of ${counted} frames.`);
  }
  if (number === 0 && counted !== null && counted > 0) {
    throw unreadableMedia("is an MP3 without a frame of sound. Encode it again.");
  }
}

/** Bytes of a tag that begins here, so that it is not searched for frames: ID3 (v1, v2), APE, Lyrics3. */
function mp3TagBytes(head: Uint8Array, left: number): number {
  const text = textAt(head, 0, 8);
  if (text.startsWith("TAG") && left <= 128 + 227) {
    return left;
  }
  if (text.startsWith("ID3") && head.byteLength >= 10) {
    return id3Bytes(head);
  }
  return text === "APETAGEX" || text === "LYRICSBE" ? left : 0;
}

const ID3_HEAD = 10;

/** Size of an ID3v2 tag whose first ten bytes these are: four times 7 bits, and a footer that repeats the head. */
export function id3Bytes(head: Uint8Array): number {
  const [flags = 0, a = 0, b = 0, c = 0, d = 0] = head.subarray(5, ID3_HEAD);
  const size = ((a & 0x7f) << 21) | ((b & 0x7f) << 14) | ((c & 0x7f) << 7) | (d & 0x7f);
  return ID3_HEAD + size + ((flags & 0x10) === 0 ? 0 : ID3_HEAD);
}
