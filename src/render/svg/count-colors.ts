import type { DisplayItem, Fill } from "../../templates/display-list.ts";
import { hexColor } from "../pdf/recolor.ts";

export interface ColorUse {
  /** `#rrggbb`. */
  readonly color: string;
  readonly use_count: number;
}

/** Colors by their uses as fill, stroke or gradient stop of a drawn object, most used first, then by color. */
export function countColors(items: readonly DisplayItem[]): ColorUse[] {
  const counts = new Map<string, number>();
  const count = (rgb: Parameters<typeof hexColor>[0]): void => {
    const color = hexColor(rgb);
    counts.set(color, (counts.get(color) ?? 0) + 1);
  };
  const paint = (fill: Fill | null): void => {
    if (fill?.paint.kind === "gradient") {
      for (const { rgb } of fill.paint.stops) {
        count(rgb);
      }
    } else if (fill !== null && fill.opacity > 0) {
      count(fill.paint.rgb);
    }
  };
  const visit = (item: DisplayItem): void => {
    switch (item.kind) {
      case "group":
        item.items.forEach(visit);
        break;
      case "path":
        paint(item.fill);
        paint(item.stroke);
        break;
      case "glyphs":
        paint({ paint: item.fill, opacity: item.opacity });
        paint(item.stroke ?? null);
        break;
      case "picture":
      case "artwork":
        break;
    }
  };
  items.forEach(visit);
  return [...counts]
    .map(([color, use_count]) => ({ color, use_count }))
    .toSorted((a, b) => b.use_count - a.use_count || (a.color < b.color ? -1 : 1));
}
