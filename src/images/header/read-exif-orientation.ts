import type { Orientation } from "./image-header.ts";

const ORIENTATION_TAG = 0x01_12;
const TYPE_SHORT = 3;

/** Orientation of an EXIF block (from its TIFF header on); 1, as stored, when it tells none that can be read. */
export function readExifOrientation(tiff: Uint8Array): Orientation {
  const view = new DataView(tiff.buffer, tiff.byteOffset, tiff.byteLength);
  if (tiff.length < 8) {
    return 1;
  }
  const order = view.getUint16(0);
  const isLittle = order === 0x49_49;
  if ((!isLittle && order !== 0x4d_4d) || view.getUint16(2, isLittle) !== 42) {
    return 1;
  }
  const directory = view.getUint32(4, isLittle);
  if (directory + 2 > tiff.length) {
    return 1;
  }
  const entries = view.getUint16(directory, isLittle);
  for (let i = 0; i < entries; i++) {
    const at = directory + 2 + i * 12;
    if (at + 12 > tiff.length) {
      return 1;
    }
    if (view.getUint16(at, isLittle) === ORIENTATION_TAG) {
      const value = view.getUint16(at + 8, isLittle);
      const isValid = view.getUint16(at + 2, isLittle) === TYPE_SHORT && value >= 1 && value <= 8;
      return isValid ? (value as Orientation) : 1;
    }
  }
  return 1;
}
