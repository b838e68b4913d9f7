import type { IccBytes } from "../../formats/icc/icc-bytes.ts";
import { clampUnit, fixedAt, type IccCurve, readCurve, tableCurve } from "./icc-curve.ts";

/** A step of a conversion: changes the first numbers of the list in place, each from 0 to 1. */
type Step = (values: Float64Array) => void;

/** A conversion of colors by a table of a profile. */
export interface IccTable {
  /** Changes the device's channels (0 to 1) to the three numbers of the profile's connection space, in its encoding. */
  readonly convert: Step;
  /** Lab in the 16 bits of version 2 (ICC.1:2022 §10.10), whose numbers are 65,280 parts instead of 65,535. */
  readonly isLegacyLab: boolean;
}

/** A table from the device's colors, which `tableProblem` has checked (ICC.1:2022 §10.10 to §10.12). */
export function readTable(icc: IccBytes, at: number): IccTable {
  const type = icc.signature(at);
  const steps = type === "mAB " ? readStages(icc, at) : readLut(icc, at, type === "mft2" ? 2 : 1);
  return {
    convert: (values) => {
      for (const step of steps) {
        step(values);
      }
    },
    isLegacyLab: type === "mft2",
  };
}

function readLut(icc: IccBytes, at: number, bytes: 1 | 2): Step[] {
  const [inputs, outputs, side] = [icc.u8(at + 8), icc.u8(at + 9), icc.u8(at + 10)];
  const [entriesIn, entriesOut] = bytes === 2 ? [icc.u16(at + 48), icc.u16(at + 50)] : [256, 256];
  const insAt = at + (bytes === 2 ? 52 : 48);
  const gridAt = insAt + inputs * entriesIn * bytes;
  const outsAt = gridAt + side ** inputs * outputs * bytes;
  const curves = (from: number, count: number, entries: number) =>
    Array.from({ length: count }, (_, i) =>
      tableCurve(icc, from + i * entries * bytes, entries, bytes),
    );
  const sides = Array.from({ length: inputs }, () => side);
  return [
    byCurves(curves(insAt, inputs, entriesIn)),
    byGrid(icc, gridAt, sides, bytes),
    byCurves(curves(outsAt, outputs, entriesOut)),
  ];
}

function readStages(icc: IccBytes, at: number): Step[] {
  const inputs = icc.u8(at + 8);
  const [b = 0, matrix = 0, m = 0, table = 0, a = 0] = [12, 16, 20, 24, 28].map((offset) =>
    icc.u32(at + offset),
  );
  const steps: Step[] = [];
  const addCurves = (offset: number, count: number) => {
    if (offset !== 0) {
      steps.push(byCurves(consecutiveCurves(icc, at + offset, count)));
    }
  };
  addCurves(a, inputs);
  if (table !== 0) {
    const sides = Array.from({ length: inputs }, (_, i) => icc.u8(at + table + i));
    steps.push(byGrid(icc, at + table + 20, sides, icc.u8(at + table + 16) === 1 ? 1 : 2));
  }
  addCurves(m, 3);
  if (matrix !== 0) {
    const numbers = Float64Array.from({ length: 12 }, (_, i) => fixedAt(icc, at + matrix + 4 * i));
    steps.push((values) => {
      byMatrix(values, numbers);
      for (let row = 0; row < 3; row++) {
        values[row] = (values[row] ?? 0) + (numbers[9 + row] ?? 0);
      }
    });
  }
  addCurves(b, 3);
  return steps;
}

/** Each curve begins at a multiple of four bytes from the first. */
function consecutiveCurves(icc: IccBytes, first: number, count: number): IccCurve[] {
  let next = first;
  return Array.from({ length: count }, () => {
    const { curve, end } = readCurve(icc, next);
    next = first + Math.ceil((end - first) / 4) * 4;
    return curve;
  });
}

/** Each of the first numbers by a curve of its own. */
export function byCurves(curves: readonly IccCurve[]): Step {
  return (values) => {
    for (let i = 0; i < curves.length; i++) {
      values[i] = curves[i]?.(values[i] ?? 0) ?? 0;
    }
  };
}

/** Multiplies the first three numbers with nine factors by rows, in place. */
export function byMatrix(values: Float64Array, factors: Float64Array): void {
  const [x, y, z] = [values[0] ?? 0, values[1] ?? 0, values[2] ?? 0];
  for (let row = 0; row < 3; row++) {
    const at = row * 3;
    values[row] = (factors[at] ?? 0) * x + (factors[at + 1] ?? 0) * y + (factors[at + 2] ?? 0) * z;
  }
}

/** Colors between the points of a grid, linear along each channel; the last channel counts fastest. */
function byGrid(icc: IccBytes, at: number, sides: readonly number[], bytes: 1 | 2): Step {
  const max = bytes === 1 ? 255 : 65_535;
  const channels = sides.length;
  const strides = sides.map((_, i) => sides.slice(i + 1).reduce((n, side) => n * side, 3));
  // The corners around the color, of which each further channel doubles the number.
  const places = new Int32Array(2 ** channels);
  const parts = new Float64Array(2 ** channels);
  return (values) => {
    let corners = 1;
    places[0] = 0;
    parts[0] = 1;
    for (let i = 0; i < channels; i++) {
      const side = sides[i] ?? 1;
      const stride = strides[i] ?? 0;
      const place = clampUnit(values[i] ?? 0) * (side - 1);
      const cell = Math.max(0, Math.min(side - 2, Math.floor(place)));
      const above = place - cell;
      const known = corners;
      for (let corner = 0; corner < known; corner++) {
        const part = parts[corner] ?? 0;
        const from = (places[corner] ?? 0) + cell * stride;
        places[corner] = from;
        if (above > 0) {
          parts[corner] = part * (1 - above);
          places[corners] = from + stride;
          parts[corners++] = part * above;
        }
      }
    }
    let [x, y, z] = [0, 0, 0];
    for (let corner = 0; corner < corners; corner++) {
      const part = (parts[corner] ?? 0) / max;
      const from = at + (places[corner] ?? 0) * bytes;
      x += part * (bytes === 1 ? icc.u8(from) : icc.u16(from));
      y += part * (bytes === 1 ? icc.u8(from + 1) : icc.u16(from + 2));
      z += part * (bytes === 1 ? icc.u8(from + 2) : icc.u16(from + 4));
    }
    values[0] = x;
    values[1] = y;
    values[2] = z;
  };
}
