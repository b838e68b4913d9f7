import { PNG_SIGNATURE } from "./png-signature.ts";

/** Width and height from the header, without decoding; undefined when the bytes are no PNG. */
export function readPngSize(bytes: Uint8Array): { width: number; height: number } | undefined {
  if (bytes.length < 33 || PNG_SIGNATURE.some((byte, i) => bytes[i] !== byte)) {
    return undefined;
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // The first chunk must be IHDR: 13 bytes of data, then its name.
  if (view.getUint32(8) !== 13 || view.getUint32(12) !== 0x49_48_44_52) {
    return undefined;
  }
  const width = view.getUint32(16);
  const height = view.getUint32(20);
  return width === 0 || height === 0 ? undefined : { width, height };
}
