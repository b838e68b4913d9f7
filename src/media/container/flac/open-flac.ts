import { type ByteWindow, textAt } from "../byte-window.ts";
import { HeaderBudget, PacketBudget } from "../media-caps.ts";
import { truncatedMedia, unreadableMedia } from "../media-error.ts";
import type { MediaPacket, MediaTrack, PacketRange } from "../media-track.ts";
import {
  FLAC_HEAD_BYTES_MAX,
  type FlacFrame,
  hasFlacChecksum,
  parseFlacFrame,
} from "./flac-frame.ts";
import { readStreamInfo, type StreamInfo } from "./stream-info.ts";

const BLOCKS_MAX = 1_000;
/** Bytes between frames in which the next one is searched. */
const SEARCH_BYTES = 64 * 1024;
/** Frames that may be missing in one place; more is another stream. */
const LOST_MAX = 10_000;
const ID3_TAIL = 128;

/** Opens a FLAC file whose mark `fLaC` is at `start`. Throws NodeError with a code of docs/contract/media.md. */
export async function openFlac(window: ByteWindow, start: number): Promise<MediaTrack> {
  const budget = new HeaderBudget();
  let info: StreamInfo | undefined;
  let at = start + 4;
  for (let block = 0, isLast = false; !isLast; block++) {
    // oxlint-disable-next-line no-await-in-loop -- where a block begins follows from the one before
    const head = await window.read(at, 4);
    if (head.byteLength < 4) {
      throw truncatedMedia("is a FLAC that ends before its sound.");
    }
    const [flags = 0, high = 0, middle = 0, low = 0] = head;
    const size = (high << 16) | (middle << 8) | low;
    isLast = (flags & 0x80) !== 0;
    budget.add(size + 4);
    if (at + 4 + size > window.sizeBytes) {
      throw truncatedMedia("is a FLAC that ends before its sound.");
    }
    if ((block === 0) !== ((flags & 0x7f) === 0) || block > BLOCKS_MAX) {
      throw unreadableMedia("is a FLAC whose header is damaged. Encode it again.");
    }
    if (block === 0) {
      // oxlint-disable-next-line no-await-in-loop -- once
      info = readStreamInfo(await window.read(at + 4, size));
    }
    at += 4 + size;
  }
  return flacTrack(info ?? readStreamInfo(new Uint8Array(0)), (range, stream) =>
    flacPackets(window, at, stream, range),
  );
}

/** The track of a FLAC in its own container. */
function flacTrack(
  info: StreamInfo,
  packets: (range: PacketRange, info: StreamInfo) => AsyncGenerator<MediaPacket>,
): MediaTrack {
  const { sampleRate, channels, bitDepth, frames } = info;
  return {
    id: 1,
    kind: "sound",
    codec: "flac",
    codecId: "flac",
    timeScale: sampleRate,
    duration: frames,
    packetCount:
      frames === null || info.blockSize === undefined ? null : Math.ceil(frames / info.blockSize),
    language: "und",
    config: info.bytes,
    sound: { sampleRate, channels, bitDepth, trim: { skip: 0, frames }, packetFrames: 0 },
    picture: null,
    edits: [],
    description: null,
    prepare: () => Promise.resolve(),
    packets: (range = {}) => packets(range, info),
  };
}

interface FoundFrame {
  readonly head: FlacFrame;
  readonly data: Uint8Array;
  readonly next: { readonly at: number; readonly head: FlacFrame } | undefined;
}

async function* flacPackets(
  window: ByteWindow,
  start: number,
  info: StreamInfo,
  { from = 0 }: PacketRange,
): AsyncGenerator<MediaPacket> {
  const budget = new PacketBudget();
  const end = await endOfFrames(window);
  const first = await nextFrame(window, start, end, info);
  let head = first?.head;
  let at = first?.at ?? end;
  const origin = head === undefined ? 0 : positionOf(head, info);
  let position = origin;
  let isDamagedEnd = false;
  while (head !== undefined && at < end) {
    // oxlint-disable-next-line no-await-in-loop -- where a frame begins follows from the one before
    const { data, next }: FoundFrame = await readFrame(window, at, end, head, info);
    const pts = positionOf(head, info);
    const missing = Math.max(0, pts - position);
    const lost = missing === 0 ? 0 : Math.ceil(missing / (info.blockSize ?? info.maxBlockSize));
    budget.add(1 + lost);
    isDamagedEnd = next === undefined && !hasFlacChecksum(data);
    if (isDamagedEnd && info.frames !== null) {
      break;
    }
    if (pts - origin + head.blockSize > from) {
      yield {
        data,
        pts: pts - origin,
        dts: pts - origin,
        duration: head.blockSize,
        isKey: true,
        ...(lost > 0 && { lost: { packets: lost, frames: missing } }),
      };
    }
    position = pts + head.blockSize;
    head = next?.head;
    at = next?.at ?? end;
  }
  if (info.frames !== null && position - origin < info.frames) {
    throw truncatedMedia(`is a FLAC with ${position - origin} of ${info.frames} samples.`);
  }
}

/** Number of the frame's first sample. */
function positionOf({ isVariable, number }: FlacFrame, info: StreamInfo): number {
  return isVariable ? number : number * (info.blockSize ?? info.maxBlockSize);
}

/** Whether a header belongs to this stream; a coincidence mostly does not. */
function isOf(info: StreamInfo, head: FlacFrame): boolean {
  return (
    head.channels === info.channels &&
    (head.sampleRate === 0 || head.sampleRate === info.sampleRate) &&
    head.blockSize <= info.maxBlockSize
  );
}

/** The first header at or after a position, within 64 KiB. */
async function nextFrame(
  window: ByteWindow,
  from: number,
  end: number,
  info: StreamInfo,
): Promise<{ readonly at: number; readonly head: FlacFrame } | undefined> {
  const bytes = await window.read(from, Math.min(SEARCH_BYTES, end - from));
  for (let at = bytes.indexOf(0xff); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const head = parseFlacFrame(bytes, at);
    if (head !== undefined && isOf(info, head)) {
      return { at: from + at, head };
    }
  }
  return undefined;
}

/**
 * The frame at a position up to the next frame: the header with the next number, or with a later one if the next is
 * damaged.
 */
async function readFrame(
  window: ByteWindow,
  at: number,
  end: number,
  head: FlacFrame,
  info: StreamInfo,
): Promise<FoundFrame> {
  // 32 bits and one of a difference for each sample, and the frame's own bytes: no encoder writes more.
  const longest = Math.ceil((info.maxBlockSize * info.channels * 33) / 8) + 1_024;
  const expected = head.isVariable ? head.number + head.blockSize : head.number + 1;
  let length = Math.min(SEARCH_BYTES, end - at);
  let searched = head.headBytes;
  let later: { readonly at: number; readonly head: FlacFrame } | undefined;
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- longer only where the frame is longer
    const bytes = window.peek(at, length) ?? (await window.read(at, length));
    const isWhole = at + length >= end;
    const last = isWhole ? bytes.length : bytes.length - FLAC_HEAD_BYTES_MAX;
    for (
      let found = bytes.indexOf(0xff, searched);
      found >= 0 && found < last;
      found = bytes.indexOf(0xff, found + 1)
    ) {
      const next = parseFlacFrame(bytes, found);
      if (next === undefined || !isOf(info, next) || next.isVariable !== head.isVariable) {
        continue;
      }
      if (next.number === expected) {
        return {
          head,
          data: bytes.subarray(0, found),
          next: { at: at + found, head: next },
        };
      }
      const step = head.isVariable ? info.maxBlockSize : 1;
      if (next.number > expected && next.number - expected < LOST_MAX * step) {
        later ??= { at: at + found, head: next };
      }
    }
    if (isWhole || length >= longest) {
      const data = later === undefined ? bytes : bytes.subarray(0, later.at - at);
      return { head, data: data.subarray(0, longest), next: later };
    }
    searched = Math.max(searched, last);
    length = Math.min(length * 2, longest, end - at);
  }
}

/** Position after the last frame: a tag ID3v1 may follow it. */
async function endOfFrames(window: ByteWindow): Promise<number> {
  const tail = Math.max(0, window.sizeBytes - ID3_TAIL);
  return textAt(await window.read(tail, 3), 0, 3) === "TAG" ? tail : window.sizeBytes;
}
