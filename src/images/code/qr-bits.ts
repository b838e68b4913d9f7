/**
 * A square of modules as bits, once by rows and once by columns: 32 modules a word, the first in the
 * lowest bit, `MARGIN` light ones before each line and nothing but light after it.
 */
export interface QrBits {
  readonly size: number;
  readonly rows: Int32Array;
  readonly columns: Int32Array;
}

/** As much light as a pattern like a finder's has beside it, so that none begins before a line does. */
export const MARGIN = 4;

/** Words that a line of so many modules takes. */
export function wordsPerLine(size: number): number {
  return Math.ceil((size + MARGIN) / 32);
}

export function emptyBits(size: number): QrBits {
  const words = size * wordsPerLine(size);
  return { size, rows: new Int32Array(words), columns: new Int32Array(words) };
}

/** Sets one module, dark for 1. */
export function setModule(
  { size, rows, columns }: QrBits,
  x: number,
  y: number,
  dark: number,
): void {
  const words = wordsPerLine(size);
  setBit(rows, y * words, x + MARGIN, dark);
  setBit(columns, x * words, y + MARGIN, dark);
}

/** 1 when the module is dark. */
export function moduleAt({ size, rows }: QrBits, x: number, y: number): number {
  return bitAt(rows, y * wordsPerLine(size), x);
}

function setBit(lines: Int32Array, line: number, at: number, bit: number): void {
  const word = line + (at >>> 5);
  const mask = 1 << (at & 31);
  lines[word] = bit === 1 ? (lines[word] as number) | mask : (lines[word] as number) & ~mask;
}

/** Of the line that begins at this word, the module at `x`. */
export function bitAt(lines: Int32Array, line: number, x: number): number {
  const at = x + MARGIN;
  return ((lines[line + (at >>> 5)] as number) >>> (at & 31)) & 1;
}
