import { crc32 } from "node:zlib";

interface PngHead {
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  /** PNG's color type. */
  readonly color: number;
}

/** A PNG with any header over any compressed rows. */
export function pngOf(
  { width, height, depth, color }: PngHead,
  rows: Uint8Array,
  chunks: readonly (readonly [name: string, body: readonly number[]])[] = [],
): Uint8Array {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([depth, color], 8);
  return Buffer.concat([
    Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", head),
    ...chunks.map(([name, body]) => chunk(name, Uint8Array.from(body))),
    chunk("IDAT", rows),
    chunk("IEND", new Uint8Array(0)),
  ]);
}

function chunk(name: string, body: Uint8Array): Uint8Array {
  const bytes = Buffer.alloc(12 + body.length);
  bytes.writeUInt32BE(body.length, 0);
  bytes.write(name, 4, "latin1");
  bytes.set(body, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + body.length)), 8 + body.length);
  return bytes;
}
