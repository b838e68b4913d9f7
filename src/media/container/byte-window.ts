export { ByteWindow } from "../../lib/files/byte-window.ts";

/** A view of bytes, whose numbers are read with their byte order. */
export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Latin-1 text of a header; shorter where the bytes end. */
export function textAt(bytes: Uint8Array, at: number, length = 4): string {
  return String.fromCharCode(...bytes.subarray(at, at + length));
}
