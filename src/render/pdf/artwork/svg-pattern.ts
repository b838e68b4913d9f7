import type { DisplayItem, DisplayPath, Matrix, Stroke } from "../../../templates/display-list.ts";
import { type Bounds, invert, mapBounds, multiply } from "../pdf-syntax.ts";
import { itemsBounds } from "./item-bounds.ts";
import { boxMatrix, chainOf } from "./svg-gradient.ts";
import { boxClip, type Viewport } from "./svg-shapes.ts";
import type { SvgNode } from "./svg-node.ts";
import type { SvgTree } from "./svg-tree.ts";
import { length, transform } from "./svg-values.ts";
import { readViewBox, viewBoxMatrix } from "./view-box.ts";

const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];
/** Items of all tiles of one pattern together. */
const TILED_ITEMS_MAX = 20_000;

export interface PatternFill {
  readonly pattern: readonly DisplayItem[];
  readonly opacity: number;
}

export interface StrokePattern extends PatternFill {
  readonly settings: Omit<Stroke, "paint" | "opacity">;
  readonly painted: Bounds | undefined;
}

/** Tiles inside of a path. */
export function patternFill(
  { path, fillRule }: DisplayPath,
  { pattern, opacity }: PatternFill,
): readonly DisplayItem[] {
  const clip = { shapes: [{ path, fillRule }] };
  return [{ kind: "group", transform: IDENTITY, opacity, clip, mask: null, items: pattern }];
}

/** Tiles where a path is stroked. */
export function patternStroke(
  path: DisplayPath,
  { pattern, opacity, settings, painted }: StrokePattern,
): readonly DisplayItem[] {
  if (painted === undefined) {
    return [];
  }
  const [x, y, right, bottom] = painted;
  const white = { paint: { kind: "color", rgb: [255, 255, 255] }, opacity: 1 } as const;
  const mask = {
    box: { x, y, width: right - x, height: bottom - y },
    items: [{ ...path, fill: null, stroke: { ...white, ...settings } }],
  };
  return [{ kind: "group", transform: IDENTITY, opacity, clip: null, mask, items: pattern }];
}

export interface PatternPlace {
  /** Of the shape without its stroke. */
  readonly bounds: Bounds | undefined;
  /** What is painted. */
  readonly painted: Bounds | undefined;
  readonly viewport: Viewport;
}

/**
 * A pattern as the tiles that cover what it paints (SVG 1.1 §13.3); none for one that paints nothing, `too_many` if they
 * are too many. `draw` returns the items of an element that holds the tile's content, which are drawn once.
 */
export function patternTiles(
  node: SvgNode,
  tree: SvgTree,
  { bounds, painted, viewport }: PatternPlace,
  draw: (holder: SvgNode, viewport: Viewport) => readonly DisplayItem[],
): readonly DisplayItem[] | "too_many" {
  const chain = chainOf(node, tree);
  const get = (key: string): string | undefined =>
    chain.find((one) => one.attributes.has(key))?.attributes.get(key);
  const holder = chain.find(({ children }) => children.length > 0);
  const box = boxMatrix(bounds);
  const isBox = get("patternUnits") !== "userSpaceOnUse";
  const own = transform(get("patternTransform")) ?? IDENTITY;
  const inverse = invert(own);
  if (holder === undefined || painted === undefined || inverse === undefined) {
    return [];
  }
  const isContentBox =
    get("viewBox") === undefined && get("patternContentUnits") === "objectBoundingBox";
  if ((isBox || isContentBox) && box === undefined) {
    return [];
  }
  const whole = isBox ? { width: 1, height: 1 } : viewport;
  const at = (key: string, size: number): number => length(get(key), size) ?? 0;
  const [scaleX, scaleY] = isBox && box !== undefined ? [box[0], box[3]] : [1, 1];
  const [width, height] = [at("width", whole.width) * scaleX, at("height", whole.height) * scaleY];
  const x = at("x", whole.width) * scaleX + (isBox ? (box?.[4] ?? 0) : 0);
  const y = at("y", whole.height) * scaleY + (isBox ? (box?.[5] ?? 0) : 0);
  if (!(width > 0 && height > 0)) {
    return [];
  }
  const viewBox = readViewBox(get("viewBox"));
  const content: Matrix =
    viewBox !== undefined
      ? viewBoxMatrix(viewBox, { width, height }, get("preserveAspectRatio"))
      : isContentBox && box !== undefined
        ? [box[0], 0, 0, box[3], 0, 0]
        : IDENTITY;
  const items = draw(holder, viewBox ?? (isContentBox ? { width: 1, height: 1 } : viewport));
  const [x0, y0, x1, y1] = mapBounds(inverse, painted);
  const [columns, rows] = [rangeOf(x0 - x, x1 - x, width), rangeOf(y0 - y, y1 - y, height)];
  const count = (columns[1] - columns[0]) * (rows[1] - rows[0]);
  if (!(count * Math.max(1, items.length) <= TILED_ITEMS_MAX)) {
    return "too_many";
  }
  if (items.length === 0) {
    return [];
  }
  const drawn = itemsBounds(items, content);
  const isInside =
    drawn !== undefined &&
    drawn[0] >= 0 &&
    drawn[1] >= 0 &&
    drawn[2] <= width &&
    drawn[3] <= height;
  const clip = isInside && !hasStrokes(items) ? null : boxClip(width, height);
  const tile: DisplayItem = {
    kind: "group",
    transform: content,
    opacity: 1,
    clip: null,
    mask: null,
    items,
  };
  const tiles: DisplayItem[] = [];
  for (let row = rows[0]; row < rows[1]; row++) {
    for (let column = columns[0]; column < columns[1]; column++) {
      const place: Matrix = [1, 0, 0, 1, x + column * width, y + row * height];
      tiles.push({
        kind: "group",
        transform: multiply(own, place),
        opacity: 1,
        clip,
        mask: null,
        items: [tile],
      });
    }
  }
  return tiles;
}

/** Numbers of the first tile and the one after the last that cover an interval. */
function rangeOf(from: number, to: number, size: number): readonly [number, number] {
  const slack = size * 1e-6;
  return [Math.floor((from + slack) / size), Math.ceil((to - slack) / size)];
}

function hasStrokes(items: readonly DisplayItem[]): boolean {
  return items.some((item) =>
    item.kind === "group"
      ? hasStrokes(item.items)
      : item.kind === "path"
        ? item.stroke !== null
        : true,
  );
}
