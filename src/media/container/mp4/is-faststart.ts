import { textAt, viewOf } from "../byte-window.ts";

/** Heads that are looked at: files have `ftyp` and sometimes `free` or `wide` before these two. */
const BOXES_MAX = 16;

/**
 * Whether the metadata of an MP4 or MOV stand before its data, so that a player begins before it has the whole file. `head`: the
 * first bytes of the file; false if `moov` does not begin in them.
 */
export function isFaststart(head: Uint8Array): boolean {
  const view = viewOf(head);
  let at = 0;
  for (let count = 0; count < BOXES_MAX && at + 16 <= head.byteLength; count++) {
    const type = textAt(head, at + 4);
    if (type === "moov" || type === "mdat") {
      return type === "moov";
    }
    const size = view.getUint32(at);
    // 1: the size follows as 64 bits. 0: the box reaches to the end of the file.
    const bytes = size === 1 ? Number(view.getBigUint64(at + 8)) : size;
    if (bytes < 8) {
      return false;
    }
    at += bytes;
  }
  return false;
}
