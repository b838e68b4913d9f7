import type { ByteWindow } from "./byte-window.ts";
import { unreadableMedia } from "./media-error.ts";

/** How frames that state their own length follow each other in a file. */
export interface FrameFormat {
  readonly headBytes: number;
  /** Length of the frame that begins with this head; undefined if none does. */
  lengthAt(head: Uint8Array): number | undefined;
  /** Length of a tag that begins with these bytes, at most 16; 0 for none. `left` is the number of bytes to the end. */
  tagBytes(head: Uint8Array, left: number): number;
}

export interface StreamedFrame {
  /** Valid until the next frame is requested. Empty if it was cut. */
  readonly data: Uint8Array;
  /** Bytes before it that belong to no frame and no tag. */
  readonly lostBytes: number;
  /** The file ends within this frame. */
  readonly isCut: boolean;
}

const TAG_HEAD_BYTES = 16;
/** Bytes without a frame in the middle of a file. */
const GAP_BYTES_MAX = 1024 * 1024;

/**
 * Reads frame after frame from a position. Bytes that begin no frame are passed over up to the next two frames in a row.
 * Throws NodeError `MEDIA_UNREADABLE` after 1 MiB without a frame.
 */
export async function* frameStream(
  window: ByteWindow,
  start: number,
  format: FrameFormat,
): AsyncGenerator<StreamedFrame> {
  const { headBytes } = format;
  const at = { position: start };
  let lostBytes = 0;
  while (at.position + headBytes <= window.sizeBytes) {
    // oxlint-disable no-await-in-loop -- where a frame begins follows from the one before
    const head = window.peek(at.position, headBytes) ?? (await window.read(at.position, headBytes));
    const length = format.lengthAt(head);
    if (
      length !== undefined &&
      (lostBytes === 0 || (await isFollowed(window, at.position, length, format)))
    ) {
      if (at.position + length > window.sizeBytes) {
        yield { data: new Uint8Array(0), lostBytes, isCut: true };
        return;
      }
      const data = window.peek(at.position, length) ?? (await window.read(at.position, length));
      yield { data, lostBytes, isCut: false };
      at.position += length;
      lostBytes = 0;
      continue;
    }
    const left = window.sizeBytes - at.position;
    const tag = format.tagBytes(await window.read(at.position, TAG_HEAD_BYTES), left);
    if (tag > 0) {
      at.position += tag;
      continue;
    }
    const passed = await nextMark(window, at.position + 1);
    lostBytes += passed - at.position;
    at.position = passed;
    if (lostBytes > GAP_BYTES_MAX) {
      throw unreadableMedia("has more than 1 MiB without sound in its middle. Encode it again.");
    }
    // oxlint-enable no-await-in-loop
  }
}

/** Whether another frame or the end follows: after lost bytes, a head alone may be a coincidence. */
async function isFollowed(
  window: ByteWindow,
  position: number,
  length: number,
  format: FrameFormat,
): Promise<boolean> {
  const next = position + length;
  return (
    next + format.headBytes > window.sizeBytes ||
    format.lengthAt(await window.read(next, format.headBytes)) !== undefined
  );
}

const SEARCH_BYTES = 64 * 1024;

/** Position of the next byte 0xFF or of a tag's first letter, or of the end. */
async function nextMark(window: ByteWindow, from: number): Promise<number> {
  const bytes = await window.read(from, SEARCH_BYTES);
  for (let i = 0; i < bytes.byteLength; i++) {
    const byte = bytes[i];
    // 0xFF; T, I, A, L of "TAG", "ID3", "APETAGEX", "LYRICSBEGIN".
    if (byte === 0xff || byte === 0x54 || byte === 0x49 || byte === 0x41 || byte === 0x4c) {
      return from + i;
    }
  }
  return from + Math.max(bytes.byteLength, 1);
}
