/** Value of a 32-bit field that refers to the Zip64 field. */
export const ZIP64_32 = 0xffffffff;
const ZIP64_FIELD = 0x0001;

export interface Sizes {
  readonly expandedBytes: number;
  readonly compressedBytes: number;
  readonly offset: number;
}

/**
 * An entry's sizes, read from its Zip64 field where needed (APPNOTE 4.5.3): streaming writers use
 * it for files of any size. Undefined if a size is missing, or larger than any file that is read.
 */
export function wideSizes(sizes: Sizes, extra: Uint8Array): Sizes | undefined {
  const isWide = Object.values(sizes).some((size: number) => size === ZIP64_32);
  if (!isWide) {
    return sizes;
  }
  const field = fieldOf(extra);
  let at = 0;
  const widened = (size: number): number => {
    if (size !== ZIP64_32) {
      return size;
    }
    if (field === undefined || at + 8 > field.byteLength) {
      return NaN;
    }
    at += 8;
    return Number(field.getBigUint64(at - 8, true));
  };
  // In this order, and only the sizes that do not fit.
  const expandedBytes = widened(sizes.expandedBytes);
  const compressedBytes = widened(sizes.compressedBytes);
  const offset = widened(sizes.offset);
  return [expandedBytes, compressedBytes, offset].every(Number.isSafeInteger)
    ? { expandedBytes, compressedBytes, offset }
    : undefined;
}

function fieldOf(extra: Uint8Array): DataView | undefined {
  const view = new DataView(extra.buffer, extra.byteOffset, extra.byteLength);
  for (let at = 0; at + 4 <= extra.length;) {
    const length = view.getUint16(at + 2, true);
    if (view.getUint16(at, true) === ZIP64_FIELD && at + 4 + length <= extra.length) {
      return new DataView(extra.buffer, extra.byteOffset + at + 4, length);
    }
    at += 4 + length;
  }
  return undefined;
}
