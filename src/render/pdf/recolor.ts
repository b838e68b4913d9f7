import type { DisplayItem, Fill, GradientPaint, SolidPaint } from "../../templates/display-list.ts";

type Rgb = SolidPaint["rgb"];

/** The items with colors replaced, in solid paints and in stops of gradients. Keys and values are `#rrggbb`. */
export function recolorItems(
  items: readonly DisplayItem[],
  replacements: ReadonlyMap<string, string>,
): readonly DisplayItem[] {
  if (replacements.size === 0) {
    return items;
  }
  return mapColors(items, (rgb) => {
    const target = replacements.get(hexColor(rgb));
    return target === undefined ? rgb : parseHex(target);
  });
}

/** The items in gray: as light as their colors are (SVG 1.1 §14.4), or white, so that only their alpha counts. */
export function grayItems(
  items: readonly DisplayItem[],
  kind: "luminance" | "alpha",
): readonly DisplayItem[] {
  return mapColors(items, ([r, g, b]) => {
    const gray = kind === "alpha" ? 255 : Math.round(0.2125 * r + 0.7154 * g + 0.0721 * b);
    return [gray, gray, gray];
  });
}

function mapColors(
  items: readonly DisplayItem[],
  color: (rgb: Rgb) => Rgb,
): readonly DisplayItem[] {
  const paint = (one: SolidPaint | GradientPaint): SolidPaint | GradientPaint =>
    one.kind === "color"
      ? { kind: "color", rgb: color(one.rgb) }
      : { ...one, stops: one.stops.map((stop) => ({ ...stop, rgb: color(stop.rgb) })) };
  const filled = <F extends Fill>(fill: F | null): F | null =>
    fill === null ? null : { ...fill, paint: paint(fill.paint) };
  const recolor = (item: DisplayItem): DisplayItem => {
    switch (item.kind) {
      case "group":
        return { ...item, items: item.items.map(recolor) };
      case "path":
        return { ...item, fill: filled(item.fill), stroke: filled(item.stroke) };
      case "glyphs":
        return {
          ...item,
          fill: paint(item.fill),
          ...(item.stroke !== undefined && {
            stroke: { ...item.stroke, paint: paint(item.stroke.paint) },
          }),
        };
      case "picture":
      case "artwork":
        return item;
    }
  };
  return items.map(recolor);
}

/** `#rrggbb`. */
export function hexColor(rgb: Rgb): string {
  return `#${rgb.map((one) => one.toString(16).padStart(2, "0")).join("")}`;
}

function parseHex(hex: string): Rgb {
  const value = Number.parseInt(hex.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}
