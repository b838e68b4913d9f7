import type { ByteSource } from "../../lib/byte-source.ts";
import { shown } from "../dataset-error.ts";
import { broken, checkRatio, LOCAL_HEADER_BYTES, type ZipEntry } from "./zip-directory.ts";

const LOCAL_SIGNATURE = 0x04034b50;
/** Bytes asked of storage at once: few calls, and little in memory. */
const RANGE_BYTES = 1024 * 1024;

/**
 * The bytes of one entry, expanded as they are read. What really comes out is counted: an entry that
 * lies about its size is refused at the first byte too many. Throws DatasetError.
 */
export async function* readZipEntry(
  source: ByteSource,
  entry: ZipEntry,
): AsyncGenerator<Uint8Array> {
  const start = await dataOffset(source, entry);
  const raw = ranges(source, start, start + entry.compressedBytes);
  const stream = (
    entry.method === 0 ? raw : raw.pipeThrough(new DecompressionStream("deflate-raw"))
  ) as ReadableStream<Uint8Array>;
  const reader = stream.getReader();
  let expanded = 0;
  try {
    for (;;) {
      const { done, value } = await readChunk(reader, entry);
      if (done) {
        break;
      }
      expanded += value.length;
      checkRatio(entry, expanded);
      if (expanded > entry.expandedBytes) {
        throw broken(
          `${shown(entry.name)} is larger than the ${entry.expandedBytes} bytes it says`,
        );
      }
      yield value;
    }
    if (expanded !== entry.expandedBytes) {
      throw broken(
        `${shown(entry.name)} has ${expanded} bytes and says it has ${entry.expandedBytes}`,
      );
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

async function dataOffset(source: ByteSource, entry: ZipEntry): Promise<number> {
  const header = await source.read(entry.offset, entry.offset + LOCAL_HEADER_BYTES);
  const view = new DataView(header.buffer, header.byteOffset, header.byteLength);
  if (header.length < LOCAL_HEADER_BYTES || view.getUint32(0, true) !== LOCAL_SIGNATURE) {
    throw broken(`${shown(entry.name)} is not where the directory says`);
  }
  const offset =
    entry.offset + LOCAL_HEADER_BYTES + view.getUint16(26, true) + view.getUint16(28, true);
  if (offset + entry.compressedBytes > source.sizeBytes) {
    throw broken(`${shown(entry.name)} ends past the end of the file`);
  }
  return offset;
}

function ranges(source: ByteSource, from: number, to: number): ReadableStream<Uint8Array> {
  let at = from;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (at >= to) {
          controller.close();
          return;
        }
        const bytes = await source.read(at, Math.min(to, at + RANGE_BYTES));
        at += bytes.length;
        if (bytes.length === 0) {
          controller.error(broken("it ends early"));
          return;
        }
        controller.enqueue(bytes);
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
    // The inflater throws TypeError; what storage throws keeps its own meaning.
    if (error instanceof TypeError) {
      throw broken(`the compressed data of ${shown(entry.name)} is damaged`);
    }
    throw error;
  }
}
