import type { DisplayItem } from "../display-list.ts";
import { EPSILON } from "./lines.ts";
import type { Style } from "./section.ts";

interface Rule {
  readonly style: Style;
  readonly x: number;
  readonly y: number;
  readonly scale: number;
  width: number;
}

/** Underlines and strike-outs of a line, joined where one follows the other. */
export class Decorations {
  readonly #rules: Rule[] = [];

  note(style: Style, x: number, width: number, y: number, scale: number): void {
    if (!style.run.underline && !style.run.strikethrough) {
      return;
    }
    const last = this.#rules.at(-1);
    if (last?.style === style && Math.abs(last.x + last.width - x) < EPSILON) {
      last.width += width;
    } else {
      this.#rules.push({ style, x, y, scale, width });
    }
  }

  /** Underlines below the glyphs of the line, strike-outs above them. */
  addTo(items: DisplayItem[]): void {
    for (const { style, x, y, width, scale } of this.#rules) {
      const { first } = style.chain;
      const { run } = style;
      const unit = (run.fontSize * scale) / first.unitsPerEm;
      if (run.underline) {
        items.push(
          ruleAt(
            run,
            x,
            width,
            y - first.underlinePosition * unit,
            first.underlineThickness * unit,
          ),
        );
      }
      if (run.strikethrough) {
        items.push(
          ruleAt(
            run,
            x,
            width,
            y - first.strikeoutPosition * unit,
            first.strikeoutThickness * unit,
          ),
        );
      }
    }
  }
}

function ruleAt(
  { fill, fillOpacity }: Style["run"],
  x: number,
  width: number,
  center: number,
  thickness: number,
): DisplayItem {
  const [top, bottom] = [center - thickness / 2, center + thickness / 2];
  return {
    kind: "path",
    path: {
      segments: [
        ["M", x, top],
        ["L", x + width, top],
        ["L", x + width, bottom],
        ["L", x, bottom],
        ["Z"],
      ],
    },
    fillRule: "non_zero",
    fill: { paint: { kind: "color", rgb: rgbOf(fill ?? "#000000") }, opacity: fillOpacity },
    stroke: null,
    isStrokeFirst: false,
  };
}

export function rgbOf(color: string): readonly [number, number, number] {
  const value = Number.parseInt(color.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}
