import { inflatePieces } from "../../../images/png/read/inflate-pieces.ts";
import { type PngLayout, readPngLayout } from "../../../images/png/read/png-layout.ts";
import type { PixelStream } from "./prepared-picture.ts";

/** Filters that PNG defines (PNG §9.2). */
const FILTER_MAX = 4;

/**
 * A PNG's own compressed rows, which PDF reads with the same filters; undefined if PDF cannot show them (interlaced
 * rows, opacity by pixel or palette entry) or if they are not exactly the picture. Throws NodeError `IMAGE_UNREADABLE`.
 */
export async function passPng(bytes: Uint8Array): Promise<PixelStream | undefined> {
  const layout = readPngLayout(bytes);
  const { colorType, isInterlaced, clear } = layout;
  if (isInterlaced || colorType >= 4 || (colorType === 3 && clear !== undefined)) {
    return undefined;
  }
  const clearColor = clear === undefined ? null : clearComponents(layout, clear);
  if (clearColor === undefined || !(await areRowsExact(layout))) {
    return undefined;
  }
  return rowsOf(layout, layout.data, clearColor);
}

/** Compressed rows of this layout. */
export function rowsOf(
  { width, height, bitDepth, colorType, palette }: PngLayout,
  data: readonly Uint8Array[],
  clearColor: PixelStream["clearColor"] = null,
): PixelStream {
  const colors = palette.subarray(0, Math.floor(palette.length / 3) * 3).subarray(0, 3 << bitDepth);
  return {
    width,
    height,
    color:
      colorType === 3 ? { kind: "palette", colors } : { kind: colorType === 0 ? "gray" : "rgb" },
    bits: bitDepth,
    encoding: "png",
    isInverted: false,
    clearColor,
    data,
  };
}

/** Two bytes for each component; undefined if the chunk is too short. */
function clearComponents({ channels }: PngLayout, clear: Uint8Array): number[] | undefined {
  if (clear.length < channels * 2) {
    return undefined;
  }
  const view = new DataView(clear.buffer, clear.byteOffset, clear.byteLength);
  return Array.from({ length: channels }, (_, i) => view.getUint16(i * 2));
}

/** Whether the data decompresses, checksum included, to exactly the rows that the header states. */
async function areRowsExact({
  width,
  height,
  channels,
  bitDepth,
  data,
}: PngLayout): Promise<boolean> {
  const rowBytes = 1 + Math.ceil((width * channels * bitDepth) / 8);
  const expected = rowBytes * height;
  let read = 0;
  try {
    for await (const piece of inflatePieces(data)) {
      const firstRow = Math.ceil(read / rowBytes) * rowBytes;
      for (let at = firstRow - read; at < piece.length; at += rowBytes) {
        if ((piece[at] ?? 0) > FILTER_MAX) {
          return false;
        }
      }
      read += piece.length;
      if (read > expected) {
        return false;
      }
    }
  } catch {
    return false;
  }
  return read === expected;
}
