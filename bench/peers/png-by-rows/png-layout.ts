import { unreadableImage } from "../../../src/images/image-errors.ts";

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

/** Throws NodeError `IMAGE_UNREADABLE` if the header has values that PNG does not define. */
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
    const body = bytes.subarray(at + 8, at + 8 + length);
    at += 12 + length;
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
