import type {
  DisplayItem,
  DisplayPath,
  Fill,
  Matrix,
  Path,
} from "../../../templates/display-list.ts";
import { isIdentity } from "../pdf-syntax.ts";
import { ArtworkError } from "./artwork-error.ts";
import { clipOf } from "./svg-clips.ts";
import {
  type Effects,
  groupOf,
  type PainterOptions,
  SvgContext,
  urlTarget,
} from "./svg-context.ts";
import { ownStyle } from "./svg-gradient.ts";
import { MARKED, type MarkerFrame, markerFrame, markerPlaces } from "./svg-markers.ts";
import { maskOf } from "./svg-masks.ts";
import { paintOf, strokeOf } from "./svg-paints.ts";
import { patternFill, patternStroke } from "./svg-pattern.ts";
import { boxClip, pathBounds, type Viewport } from "./svg-shapes.ts";
import { textItems } from "./svg-text-items.ts";
import type { Style } from "./svg-styles.ts";
import type { SvgNode } from "./svg-node.ts";
import type { SvgTree } from "./svg-tree.ts";
import { length, share, transform } from "./svg-values.ts";
import { readViewBox, viewBoxMatrix } from "./view-box.ts";

const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];

const SHAPES = new Set(["path", "rect", "circle", "ellipse", "line", "polyline", "polygon"]);
const CONTAINERS = new Set(["g", "a", "svg", "switch"]);
/** Elements that draw something that this reader does not convert. */
const UNSUPPORTED = new Set(["image", "foreignObject", "video", "audio", "canvas", "iframe"]);
/** Properties whose effect is not converted, with the values that have none. */
const UNSUPPORTED_EFFECTS: Effects = [
  ["filter", ["none"]],
  ["mix-blend-mode", ["normal"]],
  ["vector-effect", ["none"]],
];

/** A shape, and its patterns as items of their own. */
interface PaintedShape {
  readonly path: DisplayPath;
  readonly fillTiles: readonly DisplayItem[] | null;
  readonly strokeTiles: readonly DisplayItem[] | null;
}

/** A marker in its place; its frame is where its contents are drawn. */
export interface PlacedMarker {
  readonly marker: SvgNode;
  readonly style: Style;
  readonly frame: MarkerFrame;
}

/** Converts elements to items of a display list. Throws ArtworkError for what it cannot convert. */
export class SvgPainter {
  readonly #context: SvgContext;
  #isInMarker = false;

  constructor(tree: SvgTree, options: PainterOptions = {}) {
    this.#context = new SvgContext(tree, options, (node, style, viewport) =>
      this.#children(node, style, viewport),
    );
  }

  /** Drawn objects, each use of one counted. */
  get objects(): number {
    return this.#context.objects;
  }

  /** The element's properties, with those that it takes from `parent`. */
  styleOf(node: SvgNode, parent: Style): Style {
    return this.#context.styles.of(node, parent);
  }

  /** A shape with its paints, in its own coordinates; undefined if it draws nothing. Patterns paint nothing. */
  shapeOf(node: SvgNode, style: Style, viewport: Viewport): DisplayPath | undefined {
    return this.#shape(node, style, viewport)?.path;
  }

  /** The fill of something without bounds of its own. */
  fillOf(node: SvgNode, style: Style, viewport: Viewport): Fill | null {
    const bounds = [0, 0, 1, 1] as const;
    const paint = paintOf(this.#context, "fill", node, style, {
      bounds,
      painted: bounds,
      viewport,
    });
    return paint !== null && "pattern" in paint ? null : paint;
  }

  /** The markers of a path that its element draws. */
  markersOf(node: SvgNode, style: Style, path: Path, viewport: Viewport): PlacedMarker[] {
    const given = (property: string): string | undefined =>
      style.get(property) ?? style.get("marker");
    const isMarked = MARKED.has(node.name) && !this.#isInMarker;
    if (
      !isMarked ||
      !["marker-start", "marker-mid", "marker-end"].some((one) => isUrl(given(one)))
    ) {
      return [];
    }
    if (isUrl(given("marker-mid")) && /a/i.test(style.get("d") ?? "")) {
      const message = "Markers inside of a path with arcs are not converted.";
      this.#context.unsupported(node, "marker-mid", message);
    }
    const diagonal = Math.hypot(viewport.width, viewport.height) / Math.SQRT2;
    const width = length(style.get("stroke-width") ?? "1", diagonal) ?? 1;
    return markerPlaces(path).flatMap((place): PlacedMarker[] => {
      const marker = this.#context.referred(urlTarget(given(place.property)));
      if (marker?.name !== "marker") {
        return [];
      }
      this.#context.visit(node);
      const own = ownStyle(marker, this.#context.styles);
      const frame = markerFrame(marker, own, place, width);
      return frame === undefined ? [] : [{ marker, style: own, frame }];
    });
  }

  /** What the outermost element holds, in its own coordinates. */
  paint(viewport: Viewport): DisplayItem[] {
    const style = this.#context.styles.of(this.#context.tree.root, new Map());
    return this.#children(this.#context.tree.root, style, viewport);
  }

  #children(node: SvgNode, style: Style, viewport: Viewport): DisplayItem[] {
    const shown = node.name === "switch" ? node.children.slice(0, 1) : node.children;
    return shown.flatMap((child) => this.#element(child, style, viewport));
  }

  #element(node: SvgNode, parent: Style, viewport: Viewport): DisplayItem[] {
    this.#context.visit(node);
    const style = this.#context.styles.of(node, parent);
    if (style.get("display") === "none") {
      return [];
    }
    if (UNSUPPORTED.has(node.name)) {
      this.#context.unsupported(node, node.name, `<${node.name}> is not converted.`);
      return [];
    }
    if (SHAPES.has(node.name)) {
      return this.#wrapped(node, style, viewport, this.#shapeItems(node, style, viewport));
    }
    if (node.name === "text") {
      return this.#wrapped(node, style, viewport, textItems(this.#context, node, style, viewport));
    }
    if (node.name === "use") {
      return this.#wrapped(node, style, viewport, this.#use(node, style, viewport));
    }
    if (CONTAINERS.has(node.name)) {
      const items =
        node.name === "svg"
          ? this.#nested(node, style, viewport, {})
          : this.#children(node, style, viewport);
      return this.#wrapped(node, style, viewport, items);
    }
    return [];
  }

  /** The element's transformation, opacity and clip around what it draws. */
  #wrapped(
    node: SvgNode,
    style: Style,
    viewport: Viewport,
    items: readonly DisplayItem[],
  ): DisplayItem[] {
    if (items.length === 0) {
      return [];
    }
    this.#context.refuse(node, style, UNSUPPORTED_EFFECTS);
    const matrix = transform(style.get("transform"));
    if (matrix === undefined) {
      this.#context.problem(
        new ArtworkError("unreadable", "Its transform is malformed.", node),
        "transform",
      );
      return [];
    }
    const opacity = share(style.get("opacity"), 1);
    const clip = clipOf(this.#context, node, style.get("clip-path"), viewport, items);
    const mask = maskOf(this.#context, node, style.get("mask"), viewport, items);
    if (mask === "nothing") {
      return [];
    }
    if (isIdentity(matrix) && opacity === 1 && clip === null && mask === null) {
      return [...items];
    }
    return [{ kind: "group", transform: matrix, opacity, clip, mask, items }];
  }

  #use(node: SvgNode, style: Style, viewport: Viewport): DisplayItem[] {
    const target = this.#context.referred(style.get("href"));
    if (target === undefined) {
      return [];
    }
    const x = length(style.get("x"), viewport.width) ?? 0;
    const y = length(style.get("y"), viewport.height) ?? 0;
    const size = { width: style.get("width"), height: style.get("height") };
    const items = this.#context.inside(node, () =>
      target.name === "symbol"
        ? this.#nested(target, this.#context.styles.of(target, style), viewport, size)
        : this.#element(target, style, viewport),
    );
    return x === 0 && y === 0 ? items : [groupOf([1, 0, 0, 1, x, y], null, items)];
  }

  /** A viewport of its own: a nested `svg`, or a `symbol` in the size that its use gives. */
  #nested(
    node: SvgNode,
    style: Style,
    viewport: Viewport,
    size: { readonly width?: string | undefined; readonly height?: string | undefined },
  ): DisplayItem[] {
    const width = length(size.width ?? style.get("width"), viewport.width) ?? viewport.width;
    const height = length(size.height ?? style.get("height"), viewport.height) ?? viewport.height;
    if (width <= 0 || height <= 0) {
      return [];
    }
    const isSymbol = node.name === "symbol";
    const x = isSymbol ? 0 : (length(style.get("x"), viewport.width) ?? 0);
    const y = isSymbol ? 0 : (length(style.get("y"), viewport.height) ?? 0);
    const viewBox = readViewBox(node.attributes.get("viewBox"));
    const inner = viewBox ?? { x: 0, y: 0, width, height };
    const aspect = node.attributes.get("preserveAspectRatio");
    const matrix =
      viewBox === undefined ? IDENTITY : viewBoxMatrix(viewBox, { width, height }, aspect);
    const items = this.#children(node, style, inner);
    const shows = style.get("overflow");
    const clip = shows === "visible" || shows === "auto" ? null : boxClip(width, height);
    return [groupOf([1, 0, 0, 1, x, y], clip, [groupOf(matrix, null, items)])];
  }

  /** A shape with its patterns and markers. */
  #shapeItems(node: SvgNode, style: Style, viewport: Viewport): DisplayItem[] {
    const shape = this.#shape(node, style, viewport);
    if (shape === undefined) {
      return this.#markerItems(node, style, this.#context.path(node, style, viewport), viewport);
    }
    const { path, fillTiles, strokeTiles } = shape;
    const [fill, stroke] = [
      { ...path, stroke: null },
      { ...path, fill: null },
    ];
    const isPlain = fillTiles === null && strokeTiles === null;
    const fills = fillTiles ?? (path.fill === null ? [] : [fill]);
    const strokes = strokeTiles ?? (path.stroke === null ? [] : [stroke]);
    return [
      ...(isPlain ? [path] : path.isStrokeFirst ? [...strokes, ...fills] : [...fills, ...strokes]),
      ...this.#markerItems(node, style, path.path, viewport),
    ];
  }

  #markerItems(
    node: SvgNode,
    style: Style,
    path: Path | undefined,
    viewport: Viewport,
  ): DisplayItem[] {
    if (path === undefined || (style.get("visibility") ?? "visible") !== "visible") {
      return [];
    }
    return this.markersOf(node, style, path, viewport).flatMap(({ marker, style: own, frame }) => {
      this.#isInMarker = true;
      const items = this.#context.inside(node, () => this.#children(marker, own, frame.inner));
      this.#isInMarker = false;
      const shows = own.get("overflow");
      const clip =
        shows === "visible" || shows === "auto" ? null : boxClip(frame.width, frame.height);
      const fitted = groupOf(frame.fit, null, items);
      return items.length === 0 ? [] : [groupOf(frame.matrix, clip, [fitted])];
    });
  }

  #shape(node: SvgNode, style: Style, viewport: Viewport): PaintedShape | undefined {
    const path = this.#context.path(node, style, viewport);
    if (path === undefined || (style.get("visibility") ?? "visible") !== "visible") {
      return undefined;
    }
    const bounds = pathBounds(path);
    const fill = paintOf(this.#context, "fill", node, style, { bounds, painted: bounds, viewport });
    const stroke = strokeOf(this.#context, node, style, { bounds, painted: bounds, viewport });
    if (fill === null && stroke === null) {
      return undefined;
    }
    this.#context.count(node);
    const painted: DisplayPath = {
      kind: "path",
      path,
      fillRule: style.get("fill-rule") === "evenodd" ? "even_odd" : "non_zero",
      fill: fill === null || "pattern" in fill ? null : fill,
      stroke: stroke === null || "pattern" in stroke ? null : stroke,
      isStrokeFirst: /^\s*stroke/.test(style.get("paint-order") ?? ""),
    };
    return {
      path: painted,
      fillTiles: fill !== null && "pattern" in fill ? patternFill(painted, fill) : null,
      strokeTiles: stroke !== null && "pattern" in stroke ? patternStroke(painted, stroke) : null,
    };
  }
}

function isUrl(value: string | undefined): boolean {
  return urlTarget(value) !== undefined;
}
