import type { NodeError } from "../../../lib/errors/node-error.ts";
import { type ByteWindow, textAt, viewOf } from "../byte-window.ts";
import { unreadableMedia } from "../media-error.ts";

const HEAD_BYTES = 27;
const PAGE_BYTES_MAX = HEAD_BYTES + 255 + 255 * 255;
/** Bytes without a page in the middle of a file. */
const GAP_BYTES_MAX = 1024 * 1024;
const CRC = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 24;
  for (let bit = 0; bit < 8; bit++) {
    crc = (crc << 1) ^ (crc < 0 ? 0x04c1_1db7 : 0);
  }
  return crc >>> 0;
});

/** A page of Ogg (RFC 3533, section 6). */
export interface OggPage {
  readonly at: number;
  readonly serial: number;
  readonly sequence: number;
  /** Position after the last packet that ends on the page; null if none does. */
  readonly granule: number | null;
  /** Its first packet began on an earlier page. */
  readonly isContinued: boolean;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  /** The checksum is wrong. */
  readonly isDamaged: boolean;
  /** Bytes of each segment. */
  readonly segments: Uint8Array;
  /** Valid until the next page is read. */
  readonly data: Uint8Array;
}

/**
 * Reads page after page from a position. Bytes that do not begin a page are passed over, and a page that the file does not have
 * whole ends it. Throws NodeError `MEDIA_UNREADABLE` after 1 MiB without a page.
 */
export async function* oggPages(window: ByteWindow, start = 0): AsyncGenerator<OggPage> {
  let at = start;
  let gap = 0;
  while (at + HEAD_BYTES <= window.sizeBytes) {
    // oxlint-disable no-await-in-loop -- where a page begins follows from the one before
    const head = window.peek(at, HEAD_BYTES) ?? (await window.read(at, HEAD_BYTES));
    if (textAt(head, 0) !== "OggS" || head[4] !== 0) {
      const next = await nextMark(window, at + 1);
      gap += next - at;
      at = next;
      if (gap > GAP_BYTES_MAX) {
        throw unreadableMedia("has more than 1 MiB without a page of Ogg. Encode it again.");
      }
      continue;
    }
    const page = await readPage(window, at, head[26] ?? 0);
    // oxlint-enable no-await-in-loop
    if (page === undefined) {
      return;
    }
    gap = 0;
    yield page;
    at += HEAD_BYTES + page.segments.length + page.data.length;
  }
}

/** Undefined if the file ends within the page. */
async function readPage(
  window: ByteWindow,
  at: number,
  count: number,
): Promise<OggPage | undefined> {
  const headBytes = HEAD_BYTES + count;
  const head = (window.peek(at, headBytes) ?? (await window.read(at, headBytes))).slice();
  const segments = head.subarray(HEAD_BYTES);
  const length = segments.reduce((sum, size) => sum + size, 0);
  if (at + headBytes + length > window.sizeBytes) {
    return undefined;
  }
  const data = window.peek(at + headBytes, length) ?? (await window.read(at + headBytes, length));
  const view = viewOf(head);
  const flags = view.getUint8(5);
  const [low, high] = [view.getUint32(6, true), view.getUint32(10, true)];
  const stated = view.getUint32(22, true);
  view.setUint32(22, 0);
  return {
    at,
    serial: view.getUint32(14, true),
    sequence: view.getUint32(18, true),
    // All ones: no packet ends here. Other negative ones are before the start.
    granule: low === 0xffff_ffff && high === 0xffff_ffff ? null : (high | 0) * 2 ** 32 + low,
    isContinued: (flags & 0b1) !== 0,
    isFirst: (flags & 0b10) !== 0,
    isLast: (flags & 0b100) !== 0,
    isDamaged: checksum(checksum(0, head), data) !== stated,
    segments,
    data,
  };
}

function checksum(start: number, bytes: Uint8Array): number {
  let crc = start;
  for (let i = 0; i < bytes.length; i++) {
    // The loop stays within the array.
    crc = ((crc << 8) ^ (CRC[((crc >>> 24) ^ (bytes[i] as number)) & 0xff] as number)) >>> 0;
  }
  return crc;
}

const SEARCH_BYTES = 64 * 1024;

/** Position of the next letter O, or of the end. */
async function nextMark(window: ByteWindow, from: number): Promise<number> {
  const bytes = await window.read(from, SEARCH_BYTES);
  const found = bytes.indexOf(0x4f);
  return found < 0 ? from + Math.max(bytes.byteLength, 1) : from + found;
}

/** The length of streams one after another is unknown without reading all of them. */
export function chainedOgg(): NodeError {
  return unreadableMedia(
    "consists of several streams of Ogg, one after another. Encode it again into one.",
  );
}

/** Throws NodeError `MEDIA_UNREADABLE` if a stream begins behind the page at this position. */
export async function refuseChained(window: ByteWindow, pageAt: number): Promise<void> {
  for await (const page of oggPages(window, pageAt)) {
    if (page.at > pageAt && page.isFirst && !page.isDamaged) {
      throw chainedOgg();
    }
  }
}

/** Windows at the end of a file that are searched for its last page. */
const TAILS_MAX = 4;

/**
 * The last whole page of a stream with a position. Undefined if the last 256 KiB have none. Throws NodeError
 * `MEDIA_UNREADABLE` for a page of a stream that does not begin at the start of the file, which is not in `serials`.
 */
export async function lastOggPage(
  window: ByteWindow,
  serial: number,
  serials: ReadonlySet<number>,
): Promise<OggPage | undefined> {
  let end = window.sizeBytes;
  for (let tail = 0; tail < TAILS_MAX && end > 0; tail++) {
    const from = Math.max(0, end - PAGE_BYTES_MAX);
    // oxlint-disable no-await-in-loop -- the bytes before are read only if these have no page
    const bytes = (await window.read(from, end - from)).slice();
    for (
      let at = bytes.lastIndexOf(0x4f);
      at >= 0;
      at = at === 0 ? -1 : bytes.lastIndexOf(0x4f, at - 1)
    ) {
      if (textAt(bytes, at) === "OggS" && from + at + HEAD_BYTES <= window.sizeBytes) {
        const head = await window.read(from + at, HEAD_BYTES);
        const page = await readPage(window, from + at, head[26] ?? 0);
        if (page === undefined || page.isDamaged) {
          continue;
        }
        if (!serials.has(page.serial)) {
          throw chainedOgg();
        }
        if (page.serial === serial && page.granule !== null) {
          return page;
        }
      }
    }
    // oxlint-enable no-await-in-loop
    // The mark of a page may lie across the border.
    end = from === 0 ? 0 : from + 3;
  }
  return undefined;
}
