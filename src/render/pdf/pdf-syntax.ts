import type { Matrix } from "../../templates/display-list.ts";

/** Larger numbers are written as this: they are far outside of every page, and JavaScript prints them with an exponent. */
const LARGEST = 1e15;

/**
 * A length or coordinate: at most 3 decimals, no exponent, no leading zero. Throws RangeError for NaN and infinities:
 * readers would show the rest of the page in the wrong place without an error.
 */
export function num(value: number): string {
  return decimal(value, 1_000);
}

/** A factor, where an error is multiplied by a page's size: at most 6 decimals. Throws like `num`. */
export function factor(value: number): string {
  return decimal(value, 1_000_000);
}

function decimal(value: number, scale: number): string {
  if (!Number.isFinite(value)) {
    throw new RangeError(`A page contains ${value}, which a PDF cannot express.`);
  }
  const rounded = Math.round(within(value) * scale) / scale;
  if (rounded === 0) {
    return "0";
  }
  const text = String(rounded);
  // Only numbers below 10⁻⁶ print with an exponent here.
  const plain = text.includes("e") ? rounded.toFixed(6) : text;
  if (rounded >= 1 || rounded <= -1) {
    return plain;
  }
  return rounded > 0 ? plain.slice(1) : `-${plain.slice(2)}`;
}

export function matrixText(matrix: Matrix): string {
  const [a, b, c, d, e, f] = matrix;
  return `${factor(a)} ${factor(b)} ${factor(c)} ${factor(d)} ${num(e)} ${num(f)}`;
}

export function isIdentity(matrix: Matrix): boolean {
  return matrix.every((value, i) => value === (i === 0 || i === 3 ? 1 : 0));
}

/** The matrix that applies `inner` first, then `outer`. */
export function multiply(outer: Matrix, inner: Matrix): Matrix {
  const [a, b, c, d, e, f] = outer;
  const [g, h, i, j, k, l] = inner;
  return [
    within(a * g + c * h),
    within(b * g + d * h),
    within(a * i + c * j),
    within(b * i + d * j),
    within(a * k + c * l + e),
    within(b * k + d * l + f),
  ];
}

/** The number within what is written, so that further products do not overflow; 0 for what overflowed in both directions. */
function within(value: number): number {
  return Number.isNaN(value) ? 0 : Math.min(Math.max(value, -LARGEST), LARGEST);
}

/** Undefined if the matrix maps the plane to a line or a point. */
export function invert(matrix: Matrix): Matrix | undefined {
  const [a, b, c, d, e, f] = matrix;
  const determinant = a * d - b * c;
  if (Math.abs(determinant) < 1e-12 || !Number.isFinite(determinant)) {
    return undefined;
  }
  const [g, h, i, j] = [d / determinant, -b / determinant, -c / determinant, a / determinant];
  return [g, h, i, j, -(g * e + i * f), -(h * e + j * f)];
}

/** `[xMin, yMin, xMax, yMax]`. */
export type Bounds = readonly [number, number, number, number];

/** The bounds of a mapped rectangle. */
export function mapBounds([a, b, c, d, e, f]: Matrix, [x0, y0, x1, y1]: Bounds): Bounds {
  const corners = [
    [x0, y0],
    [x1, y0],
    [x0, y1],
    [x1, y1],
  ] as const;
  const xs = corners.map(([x, y]) => a * x + c * y + e);
  const ys = corners.map(([x, y]) => b * x + d * y + f);
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

/** A rectangle of whole numbers that holds all of the bounds. */
export function wholeBounds([x0, y0, x1, y1]: Bounds): Bounds {
  return [Math.floor(x0), Math.floor(y0), Math.ceil(x1), Math.ceil(y1)];
}

/** UTF-16BE in hex. Lone surrogates become U+FFFD: a text string must be well formed. */
export function utf16Hex(text: string): string {
  let hex = "";
  const wellFormed = text.toWellFormed();
  for (let i = 0; i < wellFormed.length; i++) {
    hex += hex4(wellFormed.charCodeAt(i));
  }
  return hex;
}

/** Numbers of glyphs in most files, and the characters that texts have most. */
const HEX4 = Array.from({ length: 1_024 }, (_, value) => toHex4(value));

/** Four hex digits. */
export function hex4(value: number): string {
  return HEX4[value] ?? toHex4(value);
}

function toHex4(value: number): string {
  return value.toString(16).toUpperCase().padStart(4, "0");
}

/** Two lower-case digits for each byte. */
export function hexDigits(bytes: Uint8Array): string {
  let hex = "";
  for (const byte of bytes) {
    hex += hex4(byte).slice(2).toLowerCase();
  }
  return hex;
}
