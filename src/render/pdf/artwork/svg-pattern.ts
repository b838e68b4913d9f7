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
const PLAIN = { kind: "group", opacity: 1, clip: null, mask: null } as const;
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
  place: PatternPlace,
  draw: (holder: SvgNode, viewport: Viewport) => readonly DisplayItem[],
): readonly DisplayItem[] | "too_many" {
  const chain = chainOf(node, tree);
  const get = (key: string): string | undefined =>
    chain.find((one) => one.attributes.has(key))?.attributes.get(key);
  const holder = chain.find(({ children }) => children.length > 0);
  const tile = tileOf(get, place);
  const own = transform(get("patternTransform")) ?? IDENTITY;
  const inverse = invert(own);
  if (
    holder === undefined ||
    tile === undefined ||
    place.painted === undefined ||
    inverse === undefined
  ) {
    return [];
  }
  const { x, y, width, height, content } = tile;
  const items = draw(holder, tile.inner);
  const [x0, y0, x1, y1] = mapBounds(inverse, place.painted);
  const [columns, rows] = [rangeOf(x0 - x, x1 - x, width), rangeOf(y0 - y, y1 - y, height)];
  const count = (columns[1] - columns[0]) * (rows[1] - rows[0]);
  if (!(count * Math.max(1, items.length) <= TILED_ITEMS_MAX)) {
    return "too_many";
  }
  if (items.length === 0) {
    return [];
  }
  const clip = isInside(items, tile) ? null : boxClip(width, height);
  const drawn = { ...PLAIN, transform: content, items };
  return Array.from({ length: count }, (_, i): DisplayItem => {
    const column = columns[0] + (i % (columns[1] - columns[0]));
    const row = rows[0] + Math.floor(i / (columns[1] - columns[0]));
    const moved: Matrix = [1, 0, 0, 1, x + column * width, y + row * height];
    return { ...PLAIN, transform: multiply(own, moved), clip, items: [drawn] };
  });
}

interface Tile {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** From what the tile holds to the tile, whose corner is its origin. */
  readonly content: Matrix;
  /** The sizes that percentages of its content are of. */
  readonly inner: Viewport;
}

/** Undefined for a pattern that paints nothing. */
function tileOf(
  get: (key: string) => string | undefined,
  { bounds, viewport }: PatternPlace,
): Tile | undefined {
  const viewBox = readViewBox(get("viewBox"));
  const isBox = get("patternUnits") !== "userSpaceOnUse";
  const isContentBox = viewBox === undefined && get("patternContentUnits") === "objectBoundingBox";
  const box = boxMatrix(bounds);
  if ((isBox || isContentBox) && box === undefined) {
    return undefined;
  }
  const [boxWidth, , , boxHeight, left, top] = box ?? IDENTITY;
  const whole = isBox ? { width: 1, height: 1 } : viewport;
  const [scaleX, scaleY, startX, startY] = isBox ? [boxWidth, boxHeight, left, top] : [1, 1, 0, 0];
  const at = (key: string, size: number): number => length(get(key), size) ?? 0;
  const [width, height] = [at("width", whole.width) * scaleX, at("height", whole.height) * scaleY];
  return width > 0 && height > 0
    ? {
        x: at("x", whole.width) * scaleX + startX,
        y: at("y", whole.height) * scaleY + startY,
        width,
        height,
        content:
          viewBox !== undefined
            ? viewBoxMatrix(viewBox, { width, height }, get("preserveAspectRatio"))
            : isContentBox
              ? [boxWidth, 0, 0, boxHeight, 0, 0]
              : IDENTITY,
        inner: viewBox ?? (isContentBox ? { width: 1, height: 1 } : viewport),
      }
    : undefined;
}

/** Whether a tile needs no clip. */
function isInside(items: readonly DisplayItem[], { width, height, content }: Tile): boolean {
  const drawn = itemsBounds(items, content);
  return (
    drawn !== undefined &&
    drawn[0] >= 0 &&
    drawn[1] >= 0 &&
    drawn[2] <= width &&
    drawn[3] <= height &&
    !hasStrokes(items)
  );
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
