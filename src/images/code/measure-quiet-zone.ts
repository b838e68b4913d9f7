import type { Rgb } from "../../contracts/code-symbol.ts";

/** The part of a painted picture in which a symbol is looked for. */
export interface PaintedArea {
  readonly rgba: Uint8ClampedArray;
  readonly width: number;
  /** First row, and the one after the last. */
  readonly fromRow: number;
  readonly toRow: number;
  readonly background: Rgb | null;
}

/**
 * Pixels of bare background around what is painted: left, top, right, bottom, counted on the
 * picture itself and not taken from the layout.
 */
export function measureQuietZone(area: PaintedArea): readonly [number, number, number, number] {
  const { width, fromRow, toRow } = area;
  const pixels = new Uint32Array(area.rgba.buffer, area.rgba.byteOffset, area.rgba.length / 4);
  const bare =
    area.background === null
      ? 0
      : ((255 << 24) |
          (area.background[2] << 16) |
          (area.background[1] << 8) |
          area.background[0]) >>>
        0;
  const rowIsBare = (row: number): boolean => {
    for (let x = 0; x < width; x++) {
      if (pixels[row * width + x] !== bare) {
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
      if (pixels[row * width + x] !== bare) {
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
