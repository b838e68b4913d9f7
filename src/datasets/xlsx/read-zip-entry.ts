import { crc32 } from "node:zlib";
import type { ByteSource } from "../../lib/files/byte-source.ts";
import { shown } from "../dataset-error.ts";
import { broken } from "./broken-workbook.ts";
import { checkRatio, LOCAL_HEADER_BYTES, type ZipEntry } from "./zip-directory.ts";
import { wideSizes } from "./zip64-sizes.ts";

const LOCAL_SIGNATURE = 0x04034b50;
/** Sizes and checksum follow the data (APPNOTE 4.3.9). */
const FLAG_DESCRIPTOR = 0x0008;
/** Bytes per read from storage: few calls, and little memory. */
const RANGE_BYTES = 1024 * 1024;

/**
 * The bytes of one entry, decompressed as they are read. The decompressed bytes are counted: an
 * entry with a wrong size is rejected at the first byte beyond it, and its CRC-32 is checked at its
 * end. Throws DatasetError.
 */
export async function* readZipEntry(
  source: ByteSource,
  entry: ZipEntry,
): AsyncGenerator<Uint8Array> {
  // Reads the header and the first bytes in one call: most entries are not longer.
  const start = await source.read(entry.offset, Math.min(entry.endMax, entry.offset + RANGE_BYTES));
  const raw = ranges(source, entry, start, headerBytes(entry, start));
  const stream = (
    entry.method === 0 ? raw : raw.pipeThrough(new DecompressionStream("deflate-raw"))
  ) as ReadableStream<Uint8Array>;
  const reader = stream.getReader();
  let expanded = 0;
  let checksum = 0;
  try {
    for (;;) {
      const { done, value } = await readChunk(reader, entry);
      if (done) {
        break;
      }
      expanded += value.length;
      checkRatio(entry, expanded);
      if (expanded > entry.expandedBytes) {
        throw broken(`${shown(entry.name)} is larger than its stated ${entry.expandedBytes} bytes`);
      }
      checksum = crc32(value, checksum);
      yield value;
    }
    if (expanded !== entry.expandedBytes) {
      throw broken(
        `${shown(entry.name)} has ${expanded} bytes instead of the stated ${entry.expandedBytes}`,
      );
    }
    if (checksum !== entry.crc32) {
      throw broken(`the checksum of ${shown(entry.name)} does not match its bytes`);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/**
 * Length of an entry's own header, which must match the directory: programs that read one must not
 * see a different file than programs that read the other.
 */
function headerBytes(entry: ZipEntry, bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < LOCAL_HEADER_BYTES || view.getUint32(0, true) !== LOCAL_SIGNATURE) {
    throw broken(`${shown(entry.name)} is not at the offset that the directory states`);
  }
  const nameEnd = LOCAL_HEADER_BYTES + view.getUint16(26, true);
  const end = nameEnd + view.getUint16(28, true);
  if (entry.offset + end + entry.compressedBytes > entry.endMax) {
    throw broken(`${shown(entry.name)} shares bytes with another entry`);
  }
  const name = bytes.subarray(LOCAL_HEADER_BYTES, nameEnd);
  const isSameName =
    name.length === entry.nameBytes.length &&
    name.every((byte, index) => byte === entry.nameBytes[index]);
  if (!isSameName || view.getUint16(8, true) !== entry.method) {
    throw broken(`${shown(entry.name)} has another name in its own header`);
  }
  const sizes = wideSizes(
    {
      expandedBytes: view.getUint32(22, true),
      compressedBytes: view.getUint32(18, true),
      offset: 0,
    },
    bytes.subarray(nameEnd, end),
  );
  // A program that wrote a stream did not know the sizes yet; they follow the data and are not
  // read.
  const isLater = (view.getUint16(6, true) & FLAG_DESCRIPTOR) !== 0;
  const says = [view.getUint32(14, true), sizes?.compressedBytes, sizes?.expandedBytes];
  const is = [entry.crc32, entry.compressedBytes, entry.expandedBytes];
  if (!says.every((figure, index) => figure === is[index] || (isLater && !figure))) {
    throw broken(`${shown(entry.name)} has other sizes in its own header`);
  }
  return end;
}

/** An entry's data: the bytes in `start` after the header, then the rest, range by range. */
function ranges(
  source: ByteSource,
  entry: ZipEntry,
  start: Uint8Array,
  header: number,
): ReadableStream<Uint8Array> {
  const to = entry.offset + header + entry.compressedBytes;
  let at = entry.offset;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (at >= to) {
          controller.close();
          return;
        }
        const isFirst = at === entry.offset;
        const bytes = isFirst ? start : await source.read(at, Math.min(to, at + RANGE_BYTES));
        at += bytes.length;
        const data = isFirst ? bytes.subarray(header, header + entry.compressedBytes) : bytes;
        if (data.length > 0) {
          controller.enqueue(data);
        } else if (at < to) {
          controller.error(broken("it ends early"));
        } else {
          controller.close();
        }
      },
    },
    { highWaterMark: 1 },
  );
}

async function readChunk(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  entry: ZipEntry,
): Promise<ReadableStreamReadResult<Uint8Array>> {
  try {
    return await reader.read();
  } catch (error) {
    // The decompressor throws TypeError; errors of storage are passed on unchanged.
    if (error instanceof TypeError) {
      throw broken(`the compressed data of ${shown(entry.name)} is damaged`);
    }
    throw error;
  }
}
