import type { IccBytes } from "../../formats/icc/icc-bytes.ts";

/** A curve of a profile: from 0 to 1 onto 0 to 1. Values outside are clamped. */
export type IccCurve = (value: number) => number;

/** 0 for what is not a number, which a damaged curve may give. */
export function clampUnit(value: number): number {
  return value > 0 ? Math.min(1, value) : 0;
}

/** A number of `s15Fixed16Number`: 16 bits before the point, with a sign, and 16 behind it. */
export function fixedAt(icc: IccBytes, at: number): number {
  return Math.trunc(icc.u32(at) | 0) / 65_536;
}

/** A checked curve at an offset (ICC.1:2022 §10.6, §10.18), and the offset of its end. */
export function readCurve(icc: IccBytes, at: number): { curve: IccCurve; end: number } {
  if (icc.signature(at) === "para") {
    return readParametric(icc, at);
  }
  const count = icc.u32(at + 8);
  const end = at + 12 + 2 * count;
  if (count === 0) {
    return { curve: clampUnit, end };
  }
  if (count === 1) {
    const gamma = icc.u16(at + 12) / 256;
    return { curve: (value) => clampUnit(clampUnit(value) ** gamma), end };
  }
  return { curve: tableCurve(icc, at + 12, count, 2), end };
}

/** Values between `count` entries at equal distances, each of one or two bytes. */
export function tableCurve(icc: IccBytes, at: number, count: number, bytes: number): IccCurve {
  const entry = (i: number) => (bytes === 1 ? icc.u8(at + i) / 255 : icc.u16(at + 2 * i) / 65_535);
  return (value) => {
    const place = clampUnit(value) * (count - 1);
    const cell = Math.min(count - 2, Math.floor(place));
    const low = entry(cell);
    return low + (entry(cell + 1) - low) * (place - cell);
  };
}

/** Numbers of a parametric curve, by its function. */
const COUNTS = [1, 3, 4, 5, 7];

function readParametric(icc: IccBytes, at: number): { curve: IccCurve; end: number } {
  const kind = icc.u16(at + 8);
  const count = COUNTS[kind] ?? 0;
  const numbers = Array.from({ length: count }, (_, i) => fixedAt(icc, at + 12 + 4 * i));
  const [g = 1, a = 1, b = 0, c = 0, d = 0, e = 0, f = 0] = numbers;
  const power = (value: number) => Math.max(0, a * value + b) ** g;
  const curves: readonly IccCurve[] = [
    (value) => value ** g,
    (value) => (a * value + b >= 0 ? power(value) : 0),
    (value) => (a * value + b >= 0 ? power(value) + c : c),
    (value) => (value >= d ? power(value) : c * value),
    (value) => (value >= d ? power(value) + e : c * value + f),
  ];
  const curve = curves[kind] ?? clampUnit;
  return { curve: (value) => clampUnit(curve(clampUnit(value))), end: at + 12 + 4 * count };
}
