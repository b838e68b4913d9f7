import type { IccBytes } from "./icc-bytes.ts";

/** A tag of a profile. Its data lies inside the profile. */
export interface IccTag {
  readonly at: number;
  readonly size: number;
}

/** Channels of a conversion between the profile's colors and Lab or XYZ. */
interface Channels {
  readonly inputs: number;
  readonly outputs: number;
}

const CURVE_ENTRIES_MAX = 65_536;
/** Numbers of a parametric curve, by its function. */
const PARAMETERS = [1, 3, 4, 5, 7];
/** Of the values of a table, by the byte that says so. */
const PRECISIONS = [1, 2];

/** Checks that a table of colors is whole (ICC.1:2022 §10.10 to §10.13). Returns the problem, or undefined. */
export function tableProblem(icc: IccBytes, tag: IccTag, channels: Channels): string | undefined {
  const { at, size } = tag;
  const type = icc.signature(at);
  if (!["mft1", "mft2", "mAB ", "mBA "].includes(type)) {
    return "has another type than a table of colors";
  }
  const [inputs, outputs] = [icc.u8(at + 8), icc.u8(at + 9)];
  if (size < 32 || inputs !== channels.inputs || outputs !== channels.outputs) {
    return `does not convert ${channels.inputs} channels to ${channels.outputs}`;
  }
  return type === "mft1" || type === "mft2" ? lutProblem(icc, tag) : stagesProblem(icc, tag);
}

/** `lut8Type` and `lut16Type`. */
function lutProblem(icc: IccBytes, { at, size }: IccTag): string | undefined {
  const [inputs, outputs, grid] = [icc.u8(at + 8), icc.u8(at + 9), icc.u8(at + 10)];
  const isWide = icc.signature(at) === "mft2";
  const [entriesIn, entriesOut] = isWide ? [icc.u16(at + 48), icc.u16(at + 50)] : [256, 256];
  if (grid < 2 || Math.min(entriesIn, entriesOut) < 2) {
    return "has a table of one point";
  }
  const values = inputs * entriesIn + grid ** inputs * outputs + outputs * entriesOut;
  return (isWide ? 52 + 2 * values : 48 + values) > size ? "is cut short" : undefined;
}

/** `lutAToBType` and `lutBToAType`: curves, a matrix and a table, each where an offset says. */
function stagesProblem(icc: IccBytes, tag: IccTag): string | undefined {
  const { at, size } = tag;
  const [inputs, outputs] = [icc.u8(at + 8), icc.u8(at + 9)];
  const isFromDevice = icc.signature(at) === "mAB ";
  const [b = 0, matrix = 0, m = 0, table = 0, a = 0] = [12, 16, 20, 24, 28].map((offset) =>
    icc.u32(at + offset),
  );
  // B curves are beside Lab or XYZ, A curves beside the device's channels.
  const [ofB, ofA] = isFromDevice ? [outputs, inputs] : [inputs, outputs];
  if (b === 0 || (table === 0 && inputs !== outputs)) {
    return "lacks its curves or its table";
  }
  const isCut =
    (matrix !== 0 && matrix + 48 > size) ||
    (table !== 0 && tableEnd(icc, at, table) > size) ||
    curvesEnd(icc, at, b, ofB, size) > size ||
    (m !== 0 && curvesEnd(icc, at, m, ofB, size) > size) ||
    (a !== 0 && curvesEnd(icc, at, a, ofA, size) > size);
  return isCut ? "is cut short" : undefined;
}

/** Relative to the tag; infinite for a table that is none. */
function tableEnd(icc: IccBytes, at: number, table: number): number {
  const [inputs, outputs] = [icc.u8(at + 8), icc.u8(at + 9)];
  let points = 1;
  for (let i = 0; i < Math.min(inputs, 16); i++) {
    points *= icc.u8(at + table + i);
  }
  const precision = icc.u8(at + table + 16);
  return points === 0 || !PRECISIONS.includes(precision)
    ? Infinity
    : table + 20 + points * outputs * precision;
}

/** The end of consecutive curves, each padded to four bytes; infinite for what is not a curve. */
function curvesEnd(icc: IccBytes, at: number, first: number, count: number, size: number): number {
  let end = first;
  for (let i = 0; i < count && end <= size; i++) {
    end = Math.ceil(end / 4) * 4;
    end += curveBytes(icc, { at: at + end, size: size - end });
  }
  return end;
}

/** Infinite for what is not a curve. */
function curveBytes(icc: IccBytes, { at, size }: IccTag): number {
  if (size < 12) {
    return Infinity;
  }
  switch (icc.signature(at)) {
    case "curv": {
      const entries = icc.u32(at + 8);
      return entries > CURVE_ENTRIES_MAX ? Infinity : 12 + 2 * entries;
    }
    case "para":
      return 12 + 4 * (PARAMETERS[icc.u16(at + 8)] ?? Infinity);
    default:
      return Infinity;
  }
}

/** Checks one curve. Returns the problem, or undefined. */
export function curveProblem(icc: IccBytes, tag: IccTag): string | undefined {
  return curveBytes(icc, tag) > tag.size ? "is not a whole curve" : undefined;
}

/** Checks one color in XYZ. Returns the problem, or undefined. */
export function xyzProblem(icc: IccBytes, { at, size }: IccTag): string | undefined {
  return icc.signature(at) === "XYZ " && size >= 20 ? undefined : "is not a color in XYZ";
}
