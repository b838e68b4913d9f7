/** Boxes of ISO base media files (ISO/IEC 14496-12). */

/** A box with these contents after its head. */
export function box(type: string, ...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const size = parts.reduce((sum, { byteLength }) => sum + byteLength, 8);
  const bytes = new Uint8Array(size);
  bytes.set(boxHead(type, size));
  let at = 8;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.byteLength;
  }
  return bytes;
}

/** A box that begins with a version and flags. */
export function fullBox(
  type: string,
  version: number,
  flags: number,
  ...parts: readonly Uint8Array[]
): Uint8Array<ArrayBuffer> {
  return box(type, u32((version << 24) | flags), ...parts);
}

/** The head of a box whose contents are written elsewhere; `size` includes the head. */
export function boxHead(type: string, size: number): Uint8Array<ArrayBuffer> {
  const head = new Uint8Array(8);
  head.set(u32(size));
  head.set(text(type), 4);
  return head;
}

/** Big-endian numbers of 32 bits, of which only the lower bits are taken. */
export function u32(...values: readonly number[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(values.length * 4);
  const view = new DataView(bytes.buffer);
  values.forEach((value, index) => {
    view.setUint32(index * 4, value);
  });
  return bytes;
}

export function u16(...values: readonly number[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(values.length * 2);
  const view = new DataView(bytes.buffer);
  values.forEach((value, index) => {
    view.setUint16(index * 2, value);
  });
  return bytes;
}

/** Characters of one byte each. */
export function text(characters: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(characters, (character) => character.charCodeAt(0));
}

/** The transformation that changes nothing. */
export const UNITY_MATRIX = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000);
