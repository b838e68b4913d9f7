import type { CodeSpec } from "../../contracts/code-symbol.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import { type Path, type PathCommand, transformPath } from "../vector/path.ts";
import type { Layer, Scene } from "../vector/scene.ts";
import { LABEL_ADVANCE, LABEL_CAP_HEIGHT, LABEL_DESCENT, LABEL_GLYPHS } from "./label-glyphs.ts";

/** Quiet zone left and right, in modules (docs/contract/codes.md#drawing). */
export const BAR_QUIET_ZONE_MODULES = { ean13: [11, 7], code128: [10, 10] } as const;

/** Margin above and below, in modules: not required, but a symbol without one is hard to place. */
const MARGIN_MODULES = 5;
/** Length by which an EAN's guard bars extend below the others when digits are between them. */
const GUARD_MODULES = 5;
/** Height of a nominal EAN in modules: 22.85 mm at 0.33 mm for each module. */
const EAN13_HEIGHT_MODULES = 69;
/**
 * Code 128 requires a height of at least 15 % of its width; short symbols are easier to scan if
 * higher.
 */
const CODE128_HEIGHT_MODULES = 50;
const CODE128_HEIGHT_RATIO = 0.15;
/** Minimum height of bars: a scan line would hardly hit lower ones. */
const BAR_HEIGHT_PX_MIN = 8;

export interface BarLayout {
  readonly scene: Scene;
  readonly modulePx: number;
  /** A row of the picture that crosses every bar and no text. */
  readonly barRow: number;
}

/**
 * Places bars on whole pixels; the remainder widens the quiet zones. Throws NodeError
 * `CODE_TOO_SMALL` if a module would be narrower than a pixel.
 */
export function layOutBars(
  symbology: "ean13" | "code128",
  text: string,
  widths: readonly number[],
  spec: CodeSpec,
): BarLayout {
  const modules = widths.reduce((sum, width) => sum + width, 0);
  const [quietLeft, quietRight] = BAR_QUIET_ZONE_MODULES[symbology];
  const allModules = quietLeft + modules + quietRight;
  const px = Math.floor(spec.size / allModules);
  if (px < 1) {
    throw new NodeError(
      "CODE_TOO_SMALL",
      `This ${symbology} symbol is ${allModules} modules wide with its quiet zones and needs at least as many px; size is ${spec.size}. Raise size${symbology === "code128" ? " or shorten the text" : ""}.`,
    );
  }
  const left = Math.floor((spec.size - allModules * px) / 2) + quietLeft * px;
  const top = MARGIN_MODULES * px;
  const defaultHeight =
    symbology === "ean13"
      ? EAN13_HEIGHT_MODULES * px
      : Math.round(Math.max(CODE128_HEIGHT_MODULES, CODE128_HEIGHT_RATIO * modules) * px);
  const barHeight = Math.max(BAR_HEIGHT_PX_MIN, spec.barHeight ?? defaultHeight);
  const label = spec.humanReadableText
    ? layOutLabel(symbology, text, modules, left, top + barHeight, px)
    : null;
  const guard = label !== null && symbology === "ean13" ? GUARD_MODULES * px : 0;
  const layers: Layer[] = [
    {
      kind: "rects",
      color: spec.codeColor,
      rects: barRects(widths, left, top, barHeight, guard, px),
    },
  ];
  if (label !== null) {
    layers.push({ kind: "stamps", color: spec.codeColor, path: label.path, at: [0, 0] });
  }
  const bottom = Math.max(top + barHeight + guard, label?.bottom ?? 0);
  return {
    scene: {
      width: spec.size,
      height: bottom + MARGIN_MODULES * px,
      background: spec.backgroundColor,
      layers,
    },
    modulePx: px,
    barRow: top + Math.floor(barHeight / 2),
  };
}

function barRects(
  widths: readonly number[],
  left: number,
  top: number,
  height: number,
  guard: number,
  px: number,
): number[] {
  const rects: number[] = [];
  let module = 0;
  for (const [i, width] of widths.entries()) {
    if (i % 2 === 0) {
      // Guard bars of an EAN-13: modules 0 to 2, 45 to 49 and 92 to 94.
      const isGuard = module < 3 || (module >= 45 && module < 50) || module >= 92;
      rects.push(left + module * px, top, width * px, height + (isGuard ? guard : 0));
    }
    module += width;
  }
  return rects;
}

interface Label {
  readonly path: Path;
  readonly bottom: number;
}

function layOutLabel(
  symbology: "ean13" | "code128",
  text: string,
  modules: number,
  left: number,
  barsBottom: number,
  px: number,
): Label {
  if (symbology === "ean13") {
    // Each digit is as wide as its bars; the first one is in the left quiet zone.
    const advance = 7 * px;
    const baseline = Math.ceil(barsBottom + px + LABEL_CAP_PER_ADVANCE * advance);
    const digits = (from: number, to: number, module: number) =>
      labelPath(text.slice(from, to), left + module * px, baseline, advance);
    return {
      path: [...digits(0, 1, -9), ...digits(1, 7, 3), ...digits(7, 13, 50)],
      bottom: baseline,
    };
  }
  const width = modules * px;
  const advance = Math.min(8 * px, width / text.length);
  const baseline = Math.ceil(barsBottom + 3 * px + LABEL_CAP_PER_ADVANCE * advance);
  return {
    path: labelPath(text, left + (width - text.length * advance) / 2, baseline, advance),
    bottom: Math.ceil(baseline + LABEL_DESCENT_PER_ADVANCE * advance),
  };
}

/** Heights as fractions of the width of one character. */
const LABEL_CAP_PER_ADVANCE = LABEL_CAP_HEIGHT / LABEL_ADVANCE;
const LABEL_DESCENT_PER_ADVANCE = LABEL_DESCENT / LABEL_ADVANCE;

/**
 * Printable ASCII as outlines, `advance` px for each character, from `x` on the baseline
 * `baseline`.
 */
function labelPath(text: string, x: number, baseline: number, advance: number): Path {
  const factor = advance / LABEL_ADVANCE;
  return text.split("").flatMap((character, i) => {
    const glyph = LABEL_GLYPHS[character.charCodeAt(0) - 0x20] ?? "";
    return transformPath(parseOutline(glyph), factor, x + i * advance, baseline);
  });
}

const COMMAND = /([MLQZ])([^MLQZ]*)/g;

function parseOutline(data: string): Path {
  return [...data.matchAll(COMMAND)].map(([, letter, numbers = ""]): PathCommand => {
    const [a = 0, b = 0, c = 0, d = 0] = numbers.split(" ").map(Number);
    switch (letter) {
      case "M":
      case "L":
        return [letter, a, b];
      case "Q":
        return ["Q", a, b, c, d];
      default:
        return ["Z"];
    }
  });
}
