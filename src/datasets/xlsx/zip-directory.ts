import type { ByteSource } from "../../lib/byte-source.ts";
import { DatasetError, shown } from "../dataset-error.ts";

/** Compressed size of a workbook (spec 1 §8). */
const FILE_BYTES_MAX = 64 * 1024 * 1024;
/** details part A: bombs are 10,000 entries, 512 MB expanded, a ratio of 100 to 1 past 10 MB. */
const ENTRIES_MAX = 10_000;
const EXPANDED_BYTES_MAX = 512 * 1024 * 1024;
const RATIO_MAX = 100;
const RATIO_FREE_BYTES = 10 * 1024 * 1024;
/** 10,000 entries with names of the usual length. */
const DIRECTORY_BYTES_MAX = 4 * 1024 * 1024;

const END_BYTES = 22;
const COMMENT_BYTES_MAX = 65_535;
const END_SIGNATURE = 0x06054b50;
const ENTRY_SIGNATURE = 0x02014b50;
const ENTRY_BYTES = 46;
/** A field that says that the true figure is in the Zip64 record. */
const ZIP64_16 = 0xffff;
const ZIP64_32 = 0xffffffff;

export interface ZipEntry {
  readonly name: string;
  /** 0 stored, 8 deflated. */
  readonly method: number;
  readonly compressedBytes: number;
  /** As declared; reading counts what really comes out. */
  readonly expandedBytes: number;
  readonly offset: number;
}

/**
 * Entries of a ZIP archive by name, from its directory alone: nothing is expanded. Every cap is
 * checked here, before any parser sees a byte. Throws DatasetError.
 */
export async function readZipDirectory(source: ByteSource): Promise<ReadonlyMap<string, ZipEntry>> {
  if (source.sizeBytes > FILE_BYTES_MAX) {
    throw new DatasetError(
      "file_too_large",
      `The workbook has ${source.sizeBytes} bytes; at most ${FILE_BYTES_MAX} are read. Save the sheet as CSV.`,
    );
  }
  const tailStart = Math.max(0, source.sizeBytes - END_BYTES - COMMENT_BYTES_MAX);
  const tail = await source.read(tailStart, source.sizeBytes);
  const end = findEnd(tail);
  if (end < 0) {
    throw broken("it has no directory at its end; it may be cut short");
  }
  const view = viewOf(tail, end);
  const count = view.getUint16(10, true);
  const size = view.getUint32(12, true);
  const offset = view.getUint32(16, true);
  const isSplit =
    view.getUint16(4, true) !== 0 ||
    view.getUint16(6, true) !== 0 ||
    view.getUint16(8, true) !== count;
  if (count === ZIP64_16 || size === ZIP64_32 || offset === ZIP64_32) {
    throw broken("it uses Zip64, which a workbook of this size does not need; save it again");
  }
  if (count > ENTRIES_MAX) {
    throw broken(`it has ${count} entries; at most ${ENTRIES_MAX} are read`);
  }
  // Bytes between the directory and its end record, or before the first entry, are another file.
  if (isSplit || size > DIRECTORY_BYTES_MAX || offset + size !== tailStart + end) {
    throw broken("its directory does not lie where the archive says");
  }
  const entries = readEntries(await source.read(offset, offset + size), count, offset);
  checkExpansion(entries);
  checkOverlap(entries, offset);
  return byName(entries);
}

function findEnd(tail: Uint8Array): number {
  for (let at = tail.length - END_BYTES; at >= 0; at--) {
    const view = viewOf(tail, at);
    const isEnd =
      view.getUint32(0, true) === END_SIGNATURE &&
      at + END_BYTES + view.getUint16(20, true) === tail.length;
    if (isEnd) {
      return at;
    }
  }
  return -1;
}

function readEntries(directory: Uint8Array, count: number, offsetMax: number): ZipEntry[] {
  const entries: ZipEntry[] = [];
  let at = 0;
  for (let index = 0; index < count; index++) {
    if (at + ENTRY_BYTES > directory.length) {
      throw broken("its directory ends early");
    }
    const view = viewOf(directory, at);
    if (view.getUint32(0, true) !== ENTRY_SIGNATURE) {
      throw broken("its directory is damaged");
    }
    const nameBytes = view.getUint16(28, true);
    const next = at + ENTRY_BYTES + nameBytes + view.getUint16(30, true) + view.getUint16(32, true);
    if (next > directory.length) {
      throw broken("its directory ends early");
    }
    const name = new TextDecoder().decode(
      directory.subarray(at + ENTRY_BYTES, at + ENTRY_BYTES + nameBytes),
    );
    const entry = {
      name,
      method: view.getUint16(10, true),
      compressedBytes: view.getUint32(20, true),
      expandedBytes: view.getUint32(24, true),
      offset: view.getUint32(42, true),
    };
    if ((view.getUint16(8, true) & 1) === 1) {
      throw broken(`${shown(name)} is encrypted; save it without a password`);
    }
    if (entry.method !== 0 && entry.method !== 8) {
      throw broken(
        `${shown(name)} is compressed by method ${entry.method}, which no workbook uses`,
      );
    }
    const isZip64 = entry.compressedBytes === ZIP64_32 || entry.expandedBytes === ZIP64_32;
    if (isZip64 || entry.offset + entry.compressedBytes > offsetMax) {
      throw broken(`${shown(name)} claims to lie outside of it`);
    }
    if (entry.method === 0 && entry.compressedBytes !== entry.expandedBytes) {
      throw broken(`${shown(name)} is stored with two sizes`);
    }
    entries.push(entry);
    at = next;
  }
  if (at !== directory.length) {
    throw broken("its directory is longer than its entries");
  }
  return entries;
}

function checkExpansion(entries: readonly ZipEntry[]): void {
  let expanded = 0;
  for (const entry of entries) {
    expanded += entry.expandedBytes;
    checkRatio(entry, entry.expandedBytes);
  }
  if (expanded > EXPANDED_BYTES_MAX) {
    throw broken(`it expands to ${expanded} bytes; at most ${EXPANDED_BYTES_MAX} are read`);
  }
}

/** Throws DatasetError where so many bytes out of an entry make it a bomb. */
export function checkRatio(entry: ZipEntry, expandedBytes: number): void {
  if (expandedBytes > RATIO_FREE_BYTES && expandedBytes > entry.compressedBytes * RATIO_MAX) {
    throw broken(
      `${shown(entry.name)} expands more than ${RATIO_MAX} times, past ${RATIO_FREE_BYTES} bytes`,
    );
  }
}

/** Entries that share bytes expand the same data again and again. */
function checkOverlap(entries: readonly ZipEntry[], directoryOffset: number): void {
  const inOrder = entries.toSorted((a, b) => a.offset - b.offset);
  // A file that is also something else carries that in front.
  if ((inOrder[0]?.offset ?? 0) !== 0) {
    throw broken("other bytes stand before its first entry");
  }
  inOrder.forEach((entry, index) => {
    const end = inOrder[index + 1]?.offset ?? directoryOffset;
    if (entry.offset + LOCAL_HEADER_BYTES + entry.compressedBytes > end) {
      throw broken(`${shown(entry.name)} shares bytes with another entry`);
    }
  });
}

/** Of the header before an entry's data, without its name. */
export const LOCAL_HEADER_BYTES = 30;

function byName(entries: readonly ZipEntry[]): ReadonlyMap<string, ZipEntry> {
  const found = new Map<string, ZipEntry>();
  for (const entry of entries) {
    // Some writers use backslashes; part names compare without case (ECMA-376 part 2).
    const name = partName(entry.name);
    if (found.has(name)) {
      throw broken(`${shown(entry.name)} is in it twice`);
    }
    found.set(name, entry);
  }
  return found;
}

/** A part's name as it is looked up. */
export function partName(name: string): string {
  return name.replaceAll("\\", "/").replace(/^\/+/, "").toLowerCase();
}

function viewOf(bytes: Uint8Array, at: number): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset + at, bytes.byteLength - at);
}

export function broken(why: string): DatasetError {
  return new DatasetError("invalid_data", `The workbook cannot be read: ${why}.`);
}
