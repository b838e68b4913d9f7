import type { Matrix, SolidPaint } from "../../../templates/display-list.ts";
import { NAMED_COLORS } from "../../../lib/named-colors.ts";
import { multiply } from "../pdf-syntax.ts";

export interface SvgColor {
  readonly rgb: SolidPaint["rgb"];
  readonly opacity: number;
}

const UNITS: Readonly<Record<string, number>> = {
  "": 1,
  px: 1,
  pt: 4 / 3,
  pc: 16,
  in: 96,
  cm: 96 / 2.54,
  mm: 96 / 25.4,
  q: 96 / 101.6,
  rem: 16,
};
/** In sizes of the font. */
const FONT_UNITS: Readonly<Record<string, number>> = { em: 1, ex: 0.5 };

const NUMBER = /[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?/gi;
const LENGTH = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)([a-z]{0,3}|%)$/i;

export function numbers(text: string): number[] {
  return Array.from(text.matchAll(NUMBER), ([found]) => Number(found));
}

/** In px; a percentage is of `whole`, an em of the font's size. Undefined for other texts. */
export function length(text: string | undefined, whole: number, fontSize = 16): number | undefined {
  const [, value, unit = ""] = LENGTH.exec(text?.trim() ?? "") ?? [];
  if (value === undefined) {
    return undefined;
  }
  const lower = unit.toLowerCase();
  const factor =
    lower === "%"
      ? whole / 100
      : (UNITS[lower] ??
        (FONT_UNITS[lower] === undefined ? undefined : FONT_UNITS[lower] * fontSize));
  return factor === undefined ? undefined : Number(value) * factor;
}

/** A number or a percentage, 0 to 1. */
export function share(text: string | undefined, otherwise: number): number {
  const value = length(text, 1);
  return value === undefined ? otherwise : Math.min(1, Math.max(0, value));
}

/** Undefined for other texts than the colors of SVG 1.1 and CSS Color 3. */
export function color(text: string): SvgColor | undefined {
  const value = text.trim().toLowerCase();
  if (value === "transparent") {
    return { rgb: [0, 0, 0], opacity: 0 };
  }
  const hex = NAMED_COLORS.get(value) ?? /^#([0-9a-f]+)$/.exec(value)?.[1];
  if (hex !== undefined) {
    return hexColor(hex);
  }
  const [, kind, list] = /^(rgb|hsl)a?\(([^()]*)\)$/.exec(value) ?? [];
  const parts = list?.split(/[\s,/]+/).filter((part) => part !== "") ?? [];
  const [a, b, c, alpha] = parts;
  if (a === undefined || b === undefined || c === undefined || parts.length > 4) {
    return undefined;
  }
  const opacity = share(alpha, 1);
  if (kind === "hsl") {
    return { rgb: hsl(Number.parseFloat(a), share(b, 0), share(c, 0)), opacity };
  }
  const channel = (part: string): number =>
    Math.round(Math.min(255, Math.max(0, length(part, 255) ?? 0)));
  return { rgb: [channel(a), channel(b), channel(c)], opacity };
}

function hexColor(hex: string): SvgColor | undefined {
  const long = hex.length <= 4 ? hex.replace(/./g, "$&$&") : hex;
  if (long.length !== 6 && long.length !== 8) {
    return undefined;
  }
  const at = (i: number): number => Number.parseInt(long.slice(i, i + 2), 16);
  return { rgb: [at(0), at(2), at(4)], opacity: long.length === 8 ? at(6) / 255 : 1 };
}

function hsl(degrees: number, saturation: number, lightness: number): SolidPaint["rgb"] {
  const amount = saturation * Math.min(lightness, 1 - lightness);
  const channel = (n: number): number => {
    const k = (n + (((degrees % 360) + 360) % 360) / 30) % 12;
    return Math.round(255 * (lightness - amount * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  };
  return [channel(0), channel(8), channel(4)];
}

/** A list of transformations (SVG 1.1 §7.6); undefined if it is malformed. */
export function transform(text: string | undefined): Matrix | undefined {
  let matrix: Matrix = [1, 0, 0, 1, 0, 0];
  let isMalformed = false;
  const rest = (text ?? "").replace(
    /([a-zA-Z]+)\s*\(([^()]*)\)[\s,]*/g,
    (_, name: string, list: string) => {
      const isList = /^(?:[\s,+\d.e-]|px|deg)*\d(?:[\s,+\d.e-]|px|deg)*$/i.test(list);
      const next = isList ? one(name, numbers(list)) : undefined;
      if (next?.every(Number.isFinite) !== true) {
        isMalformed = true;
        return "";
      }
      matrix = multiply(matrix, next);
      return "";
    },
  );
  return !isMalformed && (rest.trim() === "" || rest.trim() === "none") ? matrix : undefined;
}

function one(name: string, given: readonly number[]): Matrix | undefined {
  const [a = 0, b, c, d, e, f] = given;
  const radians = (a * Math.PI) / 180;
  switch (name) {
    case "matrix":
      return given.length === 6 ? [a, b ?? 0, c ?? 0, d ?? 0, e ?? 0, f ?? 0] : undefined;
    case "translate":
      return [1, 0, 0, 1, a, b ?? 0];
    case "scale":
      return [a, 0, 0, b ?? a, 0, 0];
    case "skewX":
      return [1, 0, Math.tan(radians), 1, 0, 0];
    case "skewY":
      return [1, Math.tan(radians), 0, 1, 0, 0];
    case "rotate": {
      const [cos, sin] = [Math.cos(radians), Math.sin(radians)];
      const [x, y] = [b ?? 0, c ?? 0];
      return [cos, sin, -sin, cos, x - cos * x + sin * y, y - sin * x - cos * y];
    }
    default:
      return undefined;
  }
}
