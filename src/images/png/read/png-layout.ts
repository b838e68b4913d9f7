import { crc32 } from "node:zlib";
import { unreadableImage } from "../../image-errors.ts";

export const PNG_SIGNATURE: readonly number[] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** The pixel layout in a PNG's chunks, which `readPngHeader` has checked. */
export interface PngLayout {
  readonly width: number;
  readonly height: number;
  readonly bitDepth: 1 | 2 | 4 | 8 | 16;
  /** 0 gray, 2 color, 3 palette, 4 gray with alpha, 6 color with alpha. */
  readonly colorType: 0 | 2 | 3 | 4 | 6;
  readonly channels: 1 | 2 | 3 | 4;
  readonly isInterlaced: boolean;
  /** RGB, 3 bytes for each color. */
  readonly palette: Uint8Array;
  /** Content of tRNS: alphas of a palette, or the one gray or color that is transparent. */
  readonly clear: Uint8Array | undefined;
  /** The pieces of the compressed pixels. */
  readonly data: readonly Uint8Array[];
}

const CHANNELS = new Map([
  [0, 1],
  [2, 3],
  [3, 1],
  [4, 2],
  [6, 4],
] as const);
/** Bit depths by color type; type 0 has all of them. */
const DEPTHS = new Map<number, readonly number[]>([
  [0, [1, 2, 4, 8, 16]],
  [2, [8, 16]],
  [3, [1, 2, 4, 8]],
  [4, [8, 16]],
  [6, [8, 16]],
]);
const SIGNATURE_BYTES = 8;

/** The chunks that decide what is seen; others may be damaged. */
const SEEN: ReadonlySet<string> = new Set(["IHDR", "PLTE", "tRNS", "IDAT"]);

/** Throws NodeError `IMAGE_UNREADABLE` if the header has values that PNG does not define, or a checksum is wrong. */
export function readPngLayout(bytes: Uint8Array): PngLayout {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [bitDepth = 0, colorType = 0, compression = 0, filters = 0, interlace = 0] = bytes.subarray(
    24,
    29,
  );
  const channels = CHANNELS.get(colorType as 0);
  if (
    channels === undefined ||
    DEPTHS.get(colorType)?.includes(bitDepth) !== true ||
    compression !== 0 ||
    filters !== 0 ||
    interlace > 1
  ) {
    throw unreadableImage(
      `is a PNG of color type ${colorType} with ${bitDepth} bits, which does not exist. Save it as PNG again.`,
    );
  }
  let palette = new Uint8Array(0);
  let clear: Uint8Array | undefined;
  const data: Uint8Array[] = [];
  for (let at = SIGNATURE_BYTES; at + 12 <= bytes.length;) {
    const length = view.getUint32(at);
    const name = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    const end = at + 8 + length;
    const body = bytes.subarray(at + 8, end);
    checkChunk(name, bytes, at);
    at = end + 4;
    if (name === "PLTE") {
      palette = body.slice();
    } else if (name === "tRNS") {
      clear = body;
    } else if (name === "IDAT") {
      data.push(body);
    } else if (name === "IEND") {
      break;
    }
  }
  if (colorType === 3 && palette.length < 3) {
    throw unreadableImage("is a PNG without its palette. Save it as PNG again.");
  }
  return {
    width: view.getUint32(16),
    height: view.getUint32(20),
    bitDepth: bitDepth as PngLayout["bitDepth"],
    colorType: colorType as PngLayout["colorType"],
    channels: channels as PngLayout["channels"],
    isInterlaced: interlace === 1,
    palette,
    // With an alpha channel, tRNS has no meaning.
    clear: colorType >= 4 ? undefined : clear,
    data,
  };
}

/** Throws NodeError `IMAGE_UNREADABLE` if a chunk that is seen has a wrong checksum; one that is cut short is found later. */
function checkChunk(name: string, bytes: Uint8Array, at: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = at + 8 + view.getUint32(at);
  if (!SEEN.has(name) || end + 4 > bytes.length) {
    return;
  }
  if (crc32(bytes.subarray(at + 4, end)) !== view.getUint32(end)) {
    throw unreadableImage(`is damaged: the checksum of ${name} is wrong. Save it as PNG again.`);
  }
}
