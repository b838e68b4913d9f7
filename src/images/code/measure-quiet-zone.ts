import type { Rgb } from "../../contracts/code-symbol.ts";

/** The part of a painted picture that is searched for a symbol. */
export interface PaintedArea {
  readonly rgba: Uint8ClampedArray;
  readonly width: number;
  /** First row, and the row after the last. */
  readonly fromRow: number;
  readonly toRow: number;
  readonly background: Rgb | null;
  /** The colors of the symbol. */
  readonly inks: readonly Rgb[];
}

/**
 * Pixels of empty background on the left, top, right and bottom, measured on the picture itself and
 * not taken from the layout.
 */
export function measureQuietZone(area: PaintedArea): readonly [number, number, number, number] {
  const { rgba, width, fromRow, toRow, background } = area;
  const ground = background === null ? [0, 0, 0, 0] : [...background, 255];
  // A pixel that is covered less than half is the edge of a round shape, which no scanner takes for
  // the symbol.
  const half =
    Math.min(
      ...area.inks.map((ink) =>
        Math.max(...[...ink, 255].map((part, i) => Math.abs(part - (ground[i] ?? 0)))),
      ),
    ) / 2;
  // Nearly every pixel is background, which is compared as one word, in the machine's byte order.
  const pixels = new Uint32Array(rgba.buffer, rgba.byteOffset, rgba.length / 4);
  const [groundWord] = new Uint32Array(Uint8Array.from(ground).buffer);
  const isBare = (pixel: number): boolean => {
    if (pixels[pixel] === groundWord) {
      return true;
    }
    for (let channel = 0; channel < 4; channel++) {
      if (Math.abs((rgba[pixel * 4 + channel] ?? 0) - (ground[channel] ?? 0)) > half) {
        return false;
      }
    }
    return true;
  };
  const rowIsBare = (row: number): boolean => {
    for (let x = 0; x < width; x++) {
      if (!isBare(row * width + x)) {
        return false;
      }
    }
    return true;
  };
  let top = fromRow;
  while (top < toRow && rowIsBare(top)) {
    top++;
  }
  if (top === toRow) {
    return [width, toRow - fromRow, width, toRow - fromRow];
  }
  let bottom = toRow;
  while (rowIsBare(bottom - 1)) {
    bottom--;
  }
  const columnIsBare = (x: number): boolean => {
    for (let row = top; row < bottom; row++) {
      if (!isBare(row * width + x)) {
        return false;
      }
    }
    return true;
  };
  let left = 0;
  while (columnIsBare(left)) {
    left++;
  }
  let right = width;
  while (columnIsBare(right - 1)) {
    right--;
  }
  return [left, top - fromRow, width - right, toRow - bottom];
}
