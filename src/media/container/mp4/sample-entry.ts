import { type ByteWindow, textAt, viewOf } from "../byte-window.ts";
import { encryptedMedia, unreadableMedia } from "../media-error.ts";
import { type Box, contentOf, shown } from "./box-tree.ts";

/** The first entry of a box `stsd`: how the packets of a track are coded. */
export interface SampleEntry {
  /** Four letters. */
  readonly type: string;
  /** The whole entry with its header. */
  readonly bytes: Uint8Array;
  /** Version of the box `stsd`. */
  readonly stsdVersion: number;
  /** The boxes inside by type, their content; the first of each type. */
  readonly boxes: ReadonlyMap<string, Uint8Array>;
}

const STSD_BYTES_MAX = 1024 * 1024;
const PICTURE_FIELDS_BYTES = 86;
const SOUND_FIELDS_BYTES = 36;
/** Bytes that versions 1 and 2 of QuickTime's sound description have in addition. */
const QUICKTIME_BYTES = [0, 16, 36];
const ENCRYPTED = new Set(["encv", "enca", "enct", "drms", "drmi"]);
const ENTRIES_MAX = 100;

/** Throws NodeError `MEDIA_ENCRYPTED` for an encrypted track, `MEDIA_UNREADABLE` for an entry that is damaged. */
export async function readSampleEntry(
  window: ByteWindow,
  stsd: Box,
  handler: string,
  isQuickTime: boolean,
): Promise<SampleEntry> {
  const content = await contentOf(window, stsd, 16, STSD_BYTES_MAX);
  const view = viewOf(content);
  const count = view.getUint32(4);
  const length = view.getUint32(8);
  if (count === 0 || count > ENTRIES_MAX || length < 16 || 8 + length > content.byteLength) {
    throw unreadableMedia('has a damaged box "stsd". Export it again.');
  }
  const bytes = content.slice(8, 8 + length);
  const type = textAt(bytes, 4);
  if (ENCRYPTED.has(type)) {
    throw encryptedMedia(`sample entry "${type}"`);
  }
  const start =
    handler === "vide"
      ? PICTURE_FIELDS_BYTES
      : handler === "soun"
        ? soundFieldsBytes(bytes, view.getUint8(0), isQuickTime)
        : length;
  const boxes = new Map<string, Uint8Array>();
  collectBoxes(bytes, start, boxes);
  const wave = boxes.get("wave");
  if (wave !== undefined) {
    collectBoxes(wave, 0, boxes);
  }
  if (boxes.has("sinf")) {
    throw encryptedMedia('box "sinf"');
  }
  return { type, bytes, stsdVersion: view.getUint8(0), boxes };
}

/** Where the boxes of a sound's entry begin. */
function soundFieldsBytes(entry: Uint8Array, stsdVersion: number, isQuickTime: boolean): number {
  if (entry.byteLength < SOUND_FIELDS_BYTES) {
    throw unreadableMedia('has a damaged box "stsd". Export it again.');
  }
  const version = viewOf(entry).getUint16(16);
  const isExtended = isQuickTime || stsdVersion === 0;
  return SOUND_FIELDS_BYTES + (isExtended ? (QUICKTIME_BYTES[version] ?? 0) : 0);
}

/** Boxes one after another; the first of each type counts. Bytes that do not begin a box end them, as QuickTime allows. */
function collectBoxes(bytes: Uint8Array, start: number, boxes: Map<string, Uint8Array>): void {
  const view = viewOf(bytes);
  for (let at = start; at + 8 <= bytes.byteLength;) {
    const size = view.getUint32(at);
    if (size === 0 && view.getUint32(at + 4) === 0) {
      return;
    }
    if (size < 8 || at + size > bytes.byteLength) {
      // Four bytes of a terminator may stand before the end.
      if (bytes.byteLength - at < 16) {
        return;
      }
      throw unreadableMedia(
        `has boxes that overlap in "${shown(textAt(bytes, 4))}". Export it again.`,
      );
    }
    const type = textAt(bytes, at + 4);
    if (!boxes.has(type)) {
      boxes.set(type, bytes.subarray(at + 8, at + size));
    }
    at += size;
  }
}
