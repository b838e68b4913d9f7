import type { ByteSource } from "../../lib/files/byte-source.ts";
import { DatasetError, shown } from "../dataset-error.ts";
import { broken } from "./broken-workbook.ts";
import { readZipEnd } from "./zip-end.ts";
import { wideSizes } from "./zip64-sizes.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

const FILE_BYTES_MAX = LIMITS.workbook_file.value;
/**
 * Limits against ZIP bombs (docs/contract/datasets.md#reading-rules): 10,000 entries, 512 MB
 * decompressed, and a ratio of 100 to 1 after the first 10 MB.
 */
const ENTRIES_MAX = LIMITS.workbook_entries.value;
const EXPANDED_BYTES_MAX = LIMITS.workbook_expanded.value;
const RATIO_MAX = LIMITS.workbook_ratio.value;
const RATIO_FREE_BYTES = LIMITS.workbook_ratio_free.value;
/** Room for 10,000 entries with names of usual length. */
const DIRECTORY_BYTES_MAX = 4 * 1024 * 1024;

const ENTRY_SIGNATURE = 0x02014b50;
const ENTRY_BYTES = 46;
/** Encrypted, patched, strongly encrypted, or with a masked header (APPNOTE 4.4.4). */
const FLAGS_REFUSED = 0x0001 | 0x0020 | 0x0040 | 0x2000;

export interface ZipEntry {
  readonly name: string;
  /** As written, to compare it with the header before the data. */
  readonly nameBytes: Uint8Array;
  readonly flags: number;
  /** 0 stored, 8 deflated. */
  readonly method: number;
  readonly crc32: number;
  readonly compressedBytes: number;
  /** As declared; the actual size is counted during reading. */
  readonly expandedBytes: number;
  readonly offset: number;
  /** Offset of the next entry or the directory: the entry's data ends before it. */
  readonly endMax: number;
}

/**
 * Entries of a ZIP archive by name, read from its directory alone, without decompression. Every
 * limit is checked here, before any parser runs. Throws DatasetError.
 */
export async function readZipDirectory(source: ByteSource): Promise<ReadonlyMap<string, ZipEntry>> {
  if (source.sizeBytes > FILE_BYTES_MAX) {
    throw new DatasetError(
      "file_too_large",
      `The workbook has ${source.sizeBytes} bytes; at most ${FILE_BYTES_MAX} are read. Save the sheet as CSV.`,
    );
  }
  const end = await readZipEnd(source);
  if (end.count > ENTRIES_MAX) {
    throw broken(`it has ${end.count} entries; at most ${ENTRIES_MAX} are read`);
  }
  // Bytes between the directory and its end record, or before the first entry, belong to another
  // file.
  if (end.size > DIRECTORY_BYTES_MAX || end.offset + end.size !== end.directoryEnd) {
    throw broken("its directory is not at the offset that the archive states");
  }
  const directory = await source.read(end.offset, end.offset + end.size);
  const entries = bounded(readEntries(directory, end.count, end.offset), end.offset);
  checkExpansion(entries);
  return byName(entries);
}

type Listed = Omit<ZipEntry, "endMax">;

function readEntries(directory: Uint8Array, count: number, offsetMax: number): Listed[] {
  const entries: Listed[] = [];
  let at = 0;
  for (let index = 0; index < count; index++) {
    if (at + ENTRY_BYTES > directory.length) {
      throw broken("its directory ends early");
    }
    const view = viewOf(directory, at);
    if (view.getUint32(0, true) !== ENTRY_SIGNATURE) {
      throw broken("its directory is damaged");
    }
    const nameEnd = at + ENTRY_BYTES + view.getUint16(28, true);
    const extraEnd = nameEnd + view.getUint16(30, true);
    const next = extraEnd + view.getUint16(32, true);
    if (next > directory.length) {
      throw broken("its directory ends early");
    }
    const nameBytes = directory.slice(at + ENTRY_BYTES, nameEnd);
    const name = new TextDecoder().decode(nameBytes);
    const sizes = wideSizes(
      {
        expandedBytes: view.getUint32(24, true),
        compressedBytes: view.getUint32(20, true),
        offset: view.getUint32(42, true),
      },
      directory.subarray(nameEnd, extraEnd),
    );
    if (sizes === undefined) {
      throw broken(`${shown(name)} does not have the sizes that its Zip64 field must contain`);
    }
    const entry = {
      name,
      nameBytes,
      flags: view.getUint16(8, true),
      method: view.getUint16(10, true),
      crc32: view.getUint32(16, true),
      ...sizes,
    };
    if ((entry.flags & FLAGS_REFUSED) !== 0) {
      throw broken(`${shown(name)} is encrypted; save it without a password`);
    }
    if (entry.method !== 0 && entry.method !== 8) {
      throw broken(
        `${shown(name)} is compressed by method ${entry.method}, which is not supported`,
      );
    }
    if (entry.offset + entry.compressedBytes > offsetMax) {
      throw broken(`${shown(name)} has an offset outside of the archive`);
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

/** Throws DatasetError if this many bytes of an entry make it a ZIP bomb. */
export function checkRatio(entry: ZipEntry, expandedBytes: number): void {
  if (expandedBytes > RATIO_FREE_BYTES && expandedBytes > entry.compressedBytes * RATIO_MAX) {
    throw broken(
      `${shown(entry.name)} expands more than ${RATIO_MAX} times, past ${RATIO_FREE_BYTES} bytes`,
    );
  }
}

/**
 * Entries in the order of their bytes. Entries that share bytes would decompress the same data
 * repeatedly.
 */
function bounded(listed: readonly Listed[], directoryOffset: number): ZipEntry[] {
  const inOrder = listed.toSorted((a, b) => a.offset - b.offset);
  // A file that is also of another format has that format's bytes in front.
  if ((inOrder[0]?.offset ?? 0) !== 0) {
    throw broken("there are other bytes before its first entry");
  }
  return inOrder.map((entry, index) => {
    const endMax = inOrder[index + 1]?.offset ?? directoryOffset;
    const least = LOCAL_HEADER_BYTES + entry.nameBytes.length + entry.compressedBytes;
    if (entry.offset + least > endMax) {
      throw broken(`${shown(entry.name)} shares bytes with another entry`);
    }
    return { ...entry, endMax };
  });
}

/** Length of the header before an entry's data, without its name. */
export const LOCAL_HEADER_BYTES = 30;

function byName(entries: readonly ZipEntry[]): ReadonlyMap<string, ZipEntry> {
  const found = new Map<string, ZipEntry>();
  for (const entry of entries) {
    // Some programs write backslashes; part names are compared without case (ECMA-376 part 2).
    const name = partName(entry.name);
    if (found.has(name)) {
      throw broken(`${shown(entry.name)} is in it twice`);
    }
    found.set(name, entry);
  }
  return found;
}

/** The normalized name of a part, for lookups. */
export function partName(name: string): string {
  return name.replaceAll("\\", "/").replace(/^\/+/, "").toLowerCase();
}

function viewOf(bytes: Uint8Array, at: number): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset + at, bytes.byteLength - at);
}
