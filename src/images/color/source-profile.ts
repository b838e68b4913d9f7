import { IccBytes } from "../../formats/icc/icc-bytes.ts";
import { curveProblem, type IccTag, tableProblem, xyzProblem } from "../../formats/icc/icc-tags.ts";
import { HEADER_BYTES, readIccTags } from "../../formats/icc/read-icc-tags.ts";
import { fixedAt, readCurve } from "./icc-curve.ts";
import { byCurves, byMatrix, readTable } from "./icc-table.ts";

/** Color spaces of pictures, as profiles name them, and their channels. */
const CHANNELS = new Map([
  ["GRAY", 1],
  ["RGB ", 3],
  ["CMYK", 4],
] as const);

/** White of the profile connection space, in XYZ. */
const D50: readonly [number, number, number] = [0.9642, 1, 0.8249];

/** Classes of profiles that state a device's colors; the others connect profiles or name single colors. */
const CLASSES: ReadonlySet<string> = new Set(["scnr", "mntr", "prtr", "spac"]);

/** The colors of a picture, as its embedded profile states them. */
export interface SourceProfile {
  readonly channels: 1 | 3 | 4;
  /**
   * Changes the channels in a list of four (0 to 1; of CMYK 1 is full ink) to X, Y and Z relative to white D50, in place,
   * with the darkest color as 0.
   */
  readonly toXyz: (values: Float64Array) => void;
}

/**
 * Reads an embedded ICC profile (ICC.1:2022) of version 2 or 4: its table of the perceptual intent, or its primaries
 * and curves. Work and memory are bounded by the bytes. Undefined if it is damaged or of another kind, in which case
 * browsers do without it too.
 */
export function readSourceProfile(bytes: Uint8Array): SourceProfile | undefined {
  const size = new IccBytes(bytes).u32(0);
  if (size < HEADER_BYTES + 4 || size > bytes.length) {
    return undefined;
  }
  const icc = new IccBytes(bytes.subarray(0, size));
  const channels = CHANNELS.get(icc.signature(16) as "GRAY");
  const connection = icc.signature(20);
  const isKnown =
    icc.signature(36) === "acsp" &&
    [2, 4].includes(icc.u8(8)) &&
    CLASSES.has(icc.signature(12)) &&
    ["Lab ", "XYZ "].includes(connection);
  const tags = readIccTags(icc);
  if (channels === undefined || !isKnown || typeof tags === "string") {
    return undefined;
  }
  const table = tags.get("A2B0") ?? tags.get("A2B1");
  const isLab = connection === "Lab ";
  const toXyz =
    table !== undefined
      ? tableToXyz(icc, table, channels, isLab)
      : channels === 1
        ? grayToXyz(icc, tags, isLab)
        : channels === 3
          ? primariesToXyz(icc, tags)
          : undefined;
  return toXyz === undefined ? undefined : { channels, toXyz };
}

type Conversion = SourceProfile["toXyz"];

function tableToXyz(
  icc: IccBytes,
  tag: IccTag,
  channels: number,
  isLab: boolean,
): Conversion | undefined {
  if (tableProblem(icc, tag, { inputs: channels, outputs: 3 }) !== undefined) {
    return undefined;
  }
  const { convert, isLegacyLab } = readTable(icc, tag.at);
  const absolute: Conversion = (values) => {
    convert(values);
    if (isLab) {
      labToXyz(values, isLegacyLab ? 65_535 / 65_280 : 1);
    } else {
      scale(values, 65_535 / 32_768);
    }
  };
  // Version 4 states the black of its perceptual tables.
  const black = icc.u8(8) === 4 ? PERCEPTUAL_BLACK_Y : darkestY(absolute, channels);
  return withBlackAtZero(absolute, black);
}

/** A number of Lab's curve for X, Y and Z. */
function unfolded(t: number): number {
  return t > 24 / 116 ? t ** 3 : (108 / 841) * (t - 16 / 116);
}

/** Lab in three numbers from 0 to 1: L of 100, a and b of 255 with 128 as their zero. */
function labToXyz(values: Float64Array, factor: number): void {
  const [l = 0, a = 0, b = 0] = values;
  const y = (l * factor * 100 + 16) / 116;
  const x = y + (a * factor * 255 - 128) / 500;
  const z = y - (b * factor * 255 - 128) / 200;
  values[0] = D50[0] * unfolded(x);
  values[1] = D50[1] * unfolded(y);
  values[2] = D50[2] * unfolded(z);
}

function scale(values: Float64Array, factor: number): void {
  for (let i = 0; i < 3; i++) {
    values[i] = (values[i] ?? 0) * factor;
  }
}

/** Y of black in the perceptual tables of version 4 (ICC.1:2022 §6.3.4.3). */
const PERCEPTUAL_BLACK_Y = 0.003_473_1;
/** Highest Y of a darkest color that is made black (L of 50): of a profile with a lighter one, this lightness. */
const BLACK_Y_MAX = unfolded(66 / 116);

/** Y of all inks, or of no light. */
function darkestY(absolute: Conversion, channels: number): number {
  const darkest = new Float64Array(4).fill(channels === 4 ? 1 : 0);
  absolute(darkest);
  return Math.min(BLACK_Y_MAX, Math.max(0, darkest[1] ?? 0));
}

/**
 * Black point compensation (ISO 18619): the darkest color becomes black, and all others move towards it by their distance
 * from white.
 */
function withBlackAtZero(absolute: Conversion, black: number): Conversion {
  return (values) => {
    absolute(values);
    for (let i = 0; i < 3; i++) {
      values[i] = ((values[i] ?? 0) - black * (D50[i] ?? 0)) / (1 - black);
    }
  };
}

function grayToXyz(
  icc: IccBytes,
  tags: ReadonlyMap<string, IccTag>,
  isLab: boolean,
): Conversion | undefined {
  const tag = tags.get("kTRC");
  if (tag === undefined || curveProblem(icc, tag) !== undefined) {
    return undefined;
  }
  const { curve } = readCurve(icc, tag.at);
  return (values) => {
    const light = curve(values[0] ?? 0);
    const y = isLab ? unfolded((light * 100 + 16) / 116) : light;
    for (const [i, white] of D50.entries()) {
      values[i] = y * white;
    }
  };
}

function primariesToXyz(icc: IccBytes, tags: ReadonlyMap<string, IccTag>): Conversion | undefined {
  const colors = ["rXYZ", "gXYZ", "bXYZ"].flatMap((name) => tags.get(name) ?? []);
  const curves = ["rTRC", "gTRC", "bTRC"].flatMap((name) => tags.get(name) ?? []);
  if (
    colors.length + curves.length !== 6 ||
    colors.some((tag) => xyzProblem(icc, tag) !== undefined) ||
    curves.some((tag) => curveProblem(icc, tag) !== undefined)
  ) {
    return undefined;
  }
  const byPrimaries = Float64Array.from(
    [8, 12, 16].flatMap((offset) => colors.map(({ at }) => fixedAt(icc, at + offset))),
  );
  const lights = byCurves(curves.map(({ at }) => readCurve(icc, at).curve));
  return (values) => {
    lights(values);
    byMatrix(values, byPrimaries);
  };
}
