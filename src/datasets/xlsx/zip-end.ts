import type { ByteSource } from "../../lib/files/byte-source.ts";
import { broken } from "./broken-workbook.ts";
import { ZIP64_32 } from "./zip64-sizes.ts";

const END_BYTES = 22;
const COMMENT_BYTES_MAX = 65_535;
const END_SIGNATURE = 0x06054b50;
const LOCATOR_BYTES = 20;
const LOCATOR_SIGNATURE = 0x07064b50;
const WIDE_END_BYTES = 56;
const WIDE_END_SIGNATURE = 0x06064b50;
const ZIP64_16 = 0xffff;

export interface ZipEnd {
  readonly count: number;
  /** Size of the directory in bytes. */
  readonly size: number;
  readonly offset: number;
  /** Offset of the records that end the archive. */
  readonly directoryEnd: number;
}

/**
 * The position and size of a ZIP archive's directory, from the Zip64 record if there is one
 * (streaming writers create it for small files too). Throws DatasetError.
 */
export async function readZipEnd(source: ByteSource): Promise<ZipEnd> {
  const tailStart = Math.max(
    0,
    source.sizeBytes - END_BYTES - COMMENT_BYTES_MAX - LOCATOR_BYTES - WIDE_END_BYTES,
  );
  const tail = await source.read(tailStart, source.sizeBytes);
  const end = findEnd(tail);
  if (end < 0) {
    throw broken("it has no directory at its end; it may be cut short");
  }
  const view = viewOf(tail, end);
  const narrow = {
    count: view.getUint16(10, true),
    size: view.getUint32(12, true),
    offset: view.getUint32(16, true),
  };
  const isSplit =
    ![0, ZIP64_16].includes(view.getUint16(4, true)) ||
    ![0, ZIP64_16].includes(view.getUint16(6, true)) ||
    view.getUint16(8, true) !== narrow.count;
  if (isSplit) {
    throw broken("it is one part of an archive in several parts");
  }
  const locator = end - LOCATOR_BYTES;
  if (locator < 0 || viewOf(tail, locator).getUint32(0, true) !== LOCATOR_SIGNATURE) {
    if (narrow.count === ZIP64_16 || narrow.size === ZIP64_32 || narrow.offset === ZIP64_32) {
      throw broken("it declares a Zip64 directory but has none");
    }
    return { ...narrow, directoryEnd: tailStart + end };
  }
  return wideEnd(narrow, tail, tailStart, locator);
}

/** The Zip64 record; the same fields of the plain record must agree with it. */
function wideEnd(
  narrow: Omit<ZipEnd, "directoryEnd">,
  tail: Uint8Array,
  tailStart: number,
  locator: number,
): ZipEnd {
  const pointer = viewOf(tail, locator);
  const at = Number(pointer.getBigUint64(8, true)) - tailStart;
  const start = locator - WIDE_END_BYTES;
  // Only the form without an extension field: no program writes the other one, and it could hide
  // data.
  if (at !== start || start < 0 || viewOf(tail, start).getUint32(0, true) !== WIDE_END_SIGNATURE) {
    throw broken("its Zip64 record is not at the offset that the archive states");
  }
  const view = viewOf(tail, start);
  const wide = {
    count: Number(view.getBigUint64(32, true)),
    size: Number(view.getBigUint64(40, true)),
    offset: Number(view.getBigUint64(48, true)),
  };
  const isWhole =
    Number(view.getBigUint64(4, true)) === WIDE_END_BYTES - 12 &&
    view.getUint32(16, true) === 0 &&
    view.getUint32(20, true) === 0 &&
    Number(view.getBigUint64(24, true)) === wide.count &&
    pointer.getUint32(4, true) === 0 &&
    pointer.getUint32(16, true) <= 1;
  const isSame =
    [wide.count, ZIP64_16].includes(narrow.count) &&
    [wide.size, ZIP64_32].includes(narrow.size) &&
    [wide.offset, ZIP64_32].includes(narrow.offset);
  if (!isWhole || !isSame || !Object.values(wide).every(Number.isSafeInteger)) {
    throw broken("its Zip64 record and its end record contradict each other");
  }
  return { ...wide, directoryEnd: tailStart + start };
}

function findEnd(tail: Uint8Array): number {
  for (let at = tail.length - END_BYTES; at >= 0; at--) {
    // "PK" and two bytes that are unique to this record.
    if (tail[at] === 0x50 && tail[at + 1] === 0x4b) {
      const view = viewOf(tail, at);
      const isEnd =
        view.getUint32(0, true) === END_SIGNATURE &&
        at + END_BYTES + view.getUint16(20, true) === tail.length;
      if (isEnd) {
        return at;
      }
    }
  }
  return -1;
}

function viewOf(bytes: Uint8Array, at: number): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset + at, bytes.byteLength - at);
}
