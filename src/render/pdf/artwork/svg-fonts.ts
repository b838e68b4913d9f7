import { length } from "./svg-values.ts";

const INITIAL_SIZE = 16;
/** Of `medium`. */
const SIZES: Readonly<Record<string, number>> = {
  "xx-small": 9 / 16,
  "x-small": 10 / 16,
  small: 13 / 16,
  medium: 1,
  large: 18 / 16,
  "x-large": 24 / 16,
  "xx-large": 2,
};
const STYLE = /^(?:italic|oblique)$/i;
const VARIANT = /^small-caps$/i;
const WEIGHT = /^(?:bold|bolder|lighter|[1-9]\d{0,2}|1000)$/i;

/**
 * What the shorthand `font` states (CSS Fonts 3 §3.7): it resets what it leaves out. Empty for one that is malformed or
 * names a font of the system.
 */
export function fontProperties(value: string): (readonly [string, string])[] {
  const words = value.trim().split(/\s+/);
  let [style, variant, weight] = ["normal", "normal", "400"];
  let at = 0;
  for (; at < words.length; at++) {
    const word = words[at] ?? "";
    if (STYLE.test(word)) {
      style = word.toLowerCase();
    } else if (VARIANT.test(word)) {
      variant = "small-caps";
    } else if (WEIGHT.test(word)) {
      weight = word.toLowerCase();
    } else if (word.toLowerCase() !== "normal") {
      break;
    }
  }
  // The size may be followed by the height of lines, with white space around the slash.
  const [, size, family] =
    /^([^\s/]+)(?:\s*\/\s*\S+)?\s+(.+)$/.exec(words.slice(at).join(" ")) ?? [];
  if (size === undefined || family === undefined || sizeOf(size, INITIAL_SIZE) === undefined) {
    return [];
  }
  return [
    ["font-style", style],
    ["font-variant", variant],
    ["font-weight", weight],
    ["font-size", size],
    ["font-family", family],
  ];
}

/** Replaces a size and a weight that are relative to those of the parent. */
export function resolveFont(style: Map<string, string>, parent: ReadonlyMap<string, string>): void {
  const given = style.get("font-size");
  const outer = parent.get("font-size");
  if (given !== undefined && given !== outer) {
    const parentSize = length(outer, INITIAL_SIZE) ?? INITIAL_SIZE;
    style.set("font-size", `${sizeOf(given, parentSize) ?? parentSize}px`);
  }
  const weight = style.get("font-weight");
  if (weight === "bolder" || weight === "lighter") {
    const before = weightOf(parent);
    const heavier = before < 350 ? 400 : before < 550 ? 700 : 900;
    const finer = before < 550 ? 100 : before < 750 ? 400 : 700;
    style.set("font-weight", String(weight === "bolder" ? heavier : finer));
  }
}

/** 100 to 900. */
export function weightOf(style: ReadonlyMap<string, string>): number {
  const given = style.get("font-weight");
  const weight = given === "bold" ? 700 : Number(given ?? 400);
  return Math.min(900, Math.max(100, Math.round(weight || 400)));
}

/** In px. */
function sizeOf(text: string, parentSize: number): number | undefined {
  const lower = text.trim().toLowerCase();
  const named = SIZES[lower];
  if (named !== undefined) {
    return named * INITIAL_SIZE;
  }
  if (lower === "larger" || lower === "smaller") {
    return lower === "larger" ? parentSize * 1.2 : parentSize / 1.2;
  }
  const size = length(lower, parentSize, parentSize);
  return size !== undefined && size >= 0 && Number.isFinite(size) ? size : undefined;
}
