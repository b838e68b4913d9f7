import { crc32, deflateSync } from "node:zlib";

export interface RawPng {
  readonly width: number;
  readonly height: number;
  readonly colorType: 0 | 2 | 3 | 4 | 6;
  readonly bitDepth: number;
  readonly isInterlaced: boolean;
  /** Content of the chunk that defines transparent colors. */
  readonly clear?: readonly number[];
}

const CHANNELS = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 } as const;
const ADAM7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

/** A fixed sequence of bytes. */
export function randomBytes(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return state >>> 24;
  };
}

/** A PNG of any kind, with random bytes and a random filter for each row. */
export function rawPng(png: RawPng, random: () => number): Uint8Array {
  const { width, height, colorType, bitDepth, isInterlaced, clear } = png;
  const rows: number[][] = [];
  for (const [left, top, stepX, stepY] of isInterlaced ? ADAM7 : ([[0, 0, 1, 1]] as const)) {
    const columns = Math.ceil((width - left) / stepX);
    const bytes = Math.ceil((columns * CHANNELS[colorType] * bitDepth) / 8);
    for (let y = top; y < height && columns > 0; y += stepY) {
      rows.push([random() % 5, ...Array.from({ length: bytes }, random)]);
    }
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([bitDepth, colorType, 0, 0, isInterlaced ? 1 : 0], 8);
  const packed = deflateSync(Uint8Array.from(rows.flat()));
  const half = packed.length >> 1;
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    pngChunk("IHDR", head),
    ...(colorType === 3
      ? [pngChunk("PLTE", Uint8Array.from({ length: 3 << bitDepth }, random))]
      : []),
    ...(clear === undefined ? [] : [pngChunk("tRNS", Uint8Array.from(clear))]),
    pngChunk("IDAT", packed.subarray(0, half)),
    pngChunk("IDAT", packed.subarray(half)),
    pngChunk("IEND", new Uint8Array(0)),
  ]);
}

/** A chunk of a PNG, with its checksum. */
export function pngChunk(name: string, data: Uint8Array): Buffer {
  const bytes = Buffer.alloc(12 + data.length);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(name, 4, "latin1");
  bytes.set(data, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length);
  return bytes;
}
