/** A PNG reader for tests that shares no code with the code under test: 8-bit, not interlaced. */
import { inflateSync } from "node:zlib";

export interface Raster {
  readonly width: number;
  readonly height: number;
  /** RGBA, 4 bytes a pixel. */
  readonly rgba: Uint8Array;
}

const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/** Throws for any other PNG. */
export function decodePng(bytes: Uint8Array): Raster {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(0) !== 0x89504e47) {
    throw new Error("Not a PNG.");
  }
  const data: Uint8Array[] = [];
  let [width, height, depth, color, interlace] = [0, 0, 0, 0, 0];
  let palette: Uint8Array = new Uint8Array();
  let alphas: Uint8Array = new Uint8Array();
  for (let at = 8; at < bytes.length;) {
    const length = view.getUint32(at);
    const type = Buffer.from(bytes.subarray(at + 4, at + 8)).toString("latin1");
    const body = bytes.subarray(at + 8, at + 8 + length);
    if (type === "IHDR") {
      [width, height] = [view.getUint32(at + 8), view.getUint32(at + 12)];
      [depth, color, interlace] = [body[8]!, body[9]!, body[12]!];
    } else if (type === "PLTE") {
      palette = body;
    } else if (type === "tRNS") {
      alphas = body;
    } else if (type === "IDAT") {
      data.push(body);
    }
    at += 12 + length;
  }
  if (interlace !== 0) {
    throw new Error("An interlaced PNG: not read here.");
  }
  const channels = CHANNELS[color]!;
  const rows = unfilter(inflateSync(Buffer.concat(data)), width, height, depth, channels);
  const rgba = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      rgba.set(pixel(rows[y]!, x, { depth, color, palette, alphas }), (y * width + x) * 4);
    }
  }
  return { width, height, rgba };
}

interface Format {
  readonly depth: number;
  readonly color: number;
  readonly palette: Uint8Array;
  readonly alphas: Uint8Array;
}

function pixel(row: Uint8Array, x: number, format: Format): number[] {
  const { depth, color, palette, alphas } = format;
  const channels = CHANNELS[color]!;
  const sample = (channel: number): number => {
    if (depth === 8) {
      return row[x * channels + channel]!;
    }
    if (depth > 8) {
      throw new Error(`A PNG of ${depth} bits: not read here.`);
    }
    const bit = x * depth;
    const value = (row[bit >> 3]! >> (8 - depth - (bit & 7))) & (2 ** depth - 1);
    return color === 3 ? value : (value * 255) / (2 ** depth - 1);
  };
  switch (color) {
    case 0:
      return [sample(0), sample(0), sample(0), 255];
    case 2:
      return [sample(0), sample(1), sample(2), 255];
    case 3: {
      const index = sample(0);
      return [...palette.subarray(index * 3, index * 3 + 3), alphas[index] ?? 255];
    }
    case 4:
      return [sample(0), sample(0), sample(0), sample(1)];
    default:
      return [sample(0), sample(1), sample(2), sample(3)];
  }
}

function unfilter(
  raw: Uint8Array,
  width: number,
  height: number,
  depth: number,
  channels: number,
): Uint8Array[] {
  const stride = Math.ceil((width * depth * channels) / 8);
  const step = Math.max(1, (depth * channels) >> 3);
  const rows: Uint8Array[] = [];
  let above = new Uint8Array(stride);
  for (let y = 0; y < height; y += 1) {
    const start = y * (stride + 1);
    const filter = raw[start]!;
    const row = Uint8Array.from(raw.subarray(start + 1, start + 1 + stride));
    for (let i = 0; i < stride; i += 1) {
      const left = i >= step ? row[i - step]! : 0;
      const up = above[i]!;
      const upLeft = i >= step ? above[i - step]! : 0;
      row[i] = row[i]! + [0, left, up, (left + up) >> 1, paeth(left, up, upLeft)][filter]!;
    }
    rows.push(row);
    above = row;
  }
  return rows;
}

function paeth(left: number, up: number, upLeft: number): number {
  const estimate = left + up - upLeft;
  const [a, b, c] = [
    Math.abs(estimate - left),
    Math.abs(estimate - up),
    Math.abs(estimate - upLeft),
  ];
  if (a <= b && a <= c) {
    return left;
  }
  return b <= c ? up : upLeft;
}
