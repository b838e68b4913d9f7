import type {
  DisplayClip,
  DisplayItem,
  DisplayPath,
  Fill,
  Matrix,
  Path,
  Stroke,
} from "../../../templates/display-list.ts";
import { isIdentity, multiply } from "../pdf-syntax.ts";
import { ArtworkError } from "./artwork-error.ts";
import { itemsBounds, transformPath } from "./item-bounds.ts";
import { boxMatrix, type GradientPlace, gradientPaint } from "./svg-gradient.ts";
import { pathBounds, shapePath, type Viewport } from "./svg-shapes.ts";
import { type Style, SvgStyles } from "./svg-styles.ts";
import type { SvgNode } from "./svg-node.ts";
import type { SvgTree } from "./svg-tree.ts";
import { color, length, numbers, share, transform } from "./svg-values.ts";
import { readViewBox, viewBoxMatrix } from "./view-box.ts";

const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];
/** Drawn objects, each use of one counted. */
const ITEMS_MAX = 50_000;
/** Elements that are visited, each use counted: uses of uses multiply even where they draw nothing. */
const VISITS_MAX = 200_000;
/** Segments of all paths, which are held in memory together. */
const SEGMENTS_MAX = 400_000;
/** Uses inside of each other. */
const USES_MAX = 20;

const SHAPES = new Set(["path", "rect", "circle", "ellipse", "line", "polyline", "polygon"]);
const CONTAINERS = new Set(["g", "a", "svg", "switch"]);
/** Elements that draw something that this reader does not convert. */
const UNSUPPORTED = new Set([
  "text",
  "image",
  "foreignObject",
  "video",
  "audio",
  "canvas",
  "iframe",
]);
/** Properties whose effect is not converted, with the values that have none. */
const UNSUPPORTED_EFFECTS: readonly (readonly [string, readonly string[]])[] = [
  ["filter", ["none"]],
  ["mask", ["none"]],
  ["marker", ["none"]],
  ["marker-start", ["none"]],
  ["marker-mid", ["none"]],
  ["marker-end", ["none"]],
  ["mix-blend-mode", ["normal"]],
  ["vector-effect", ["none"]],
];

export interface PainterOptions {
  /** Receives each part that cannot be converted, which then draws nothing. Without it the first one is thrown. */
  readonly onProblem?: (error: ArtworkError, part: string) => void;
}

/** Converts elements to items of a display list. Throws ArtworkError for what it cannot convert. */
export class SvgPainter {
  readonly #tree: SvgTree;
  readonly #styles: SvgStyles;
  readonly #options: PainterOptions;
  #items = 0;
  #uses = 0;
  #visits = 0;
  #segments = 0;

  constructor(tree: SvgTree, options: PainterOptions = {}) {
    this.#tree = tree;
    this.#styles = new SvgStyles(tree.css);
    this.#options = options;
  }

  /** Drawn objects, each use of one counted. */
  get objects(): number {
    return this.#items;
  }

  /** The element's properties, with those that it takes from `parent`. */
  styleOf(node: SvgNode, parent: Style): Style {
    return this.#styles.of(node, parent);
  }

  /** A shape with its paints, in its own coordinates; undefined if it draws nothing. */
  shapeOf(node: SvgNode, style: Style, viewport: Viewport): DisplayPath | undefined {
    return this.#shape(node, style, viewport);
  }

  /** The fill of something without bounds of its own. */
  fillOf(node: SvgNode, style: Style, viewport: Viewport): Fill | null {
    return this.#paint("fill", node, style, { bounds: [0, 0, 1, 1], viewport });
  }

  /** `part` is the name of the element or property that is not converted. */
  #unsupported(node: SvgNode, part: string, message: string): void {
    this.#problem(new ArtworkError("unsupported", message, node), part);
  }

  #problem(error: ArtworkError, part: string): void {
    if (this.#options.onProblem === undefined) {
      throw error;
    }
    this.#options.onProblem(error, part);
  }

  /** What the outermost element holds, in its own coordinates. */
  paint(viewport: Viewport): DisplayItem[] {
    const style = this.#styles.of(this.#tree.root, new Map());
    return this.#children(this.#tree.root, style, viewport);
  }

  #children(node: SvgNode, style: Style, viewport: Viewport): DisplayItem[] {
    const shown = node.name === "switch" ? node.children.slice(0, 1) : node.children;
    return shown.flatMap((child) => this.#element(child, style, viewport));
  }

  #element(node: SvgNode, parent: Style, viewport: Viewport): DisplayItem[] {
    if (++this.#visits > VISITS_MAX) {
      throw new ArtworkError("too_large", `Its uses draw more than ${VISITS_MAX} elements.`, node);
    }
    const style = this.#styles.of(node, parent);
    if (style.get("display") === "none") {
      return [];
    }
    if (UNSUPPORTED.has(node.name)) {
      this.#unsupported(node, node.name, `<${node.name}> is not converted.`);
      return [];
    }
    if (SHAPES.has(node.name)) {
      const item = this.#shape(node, style, viewport);
      return this.#wrapped(node, style, viewport, item === undefined ? [] : [item]);
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
    for (const [property, harmless] of UNSUPPORTED_EFFECTS) {
      const value = style.get(property);
      if (value !== undefined && !harmless.includes(value)) {
        this.#unsupported(node, property, `The property ${property} is not converted.`);
      }
    }
    const matrix = transform(style.get("transform"));
    if (matrix === undefined) {
      this.#problem(
        new ArtworkError("unreadable", "Its transform is malformed.", node),
        "transform",
      );
      return [];
    }
    const opacity = share(style.get("opacity"), 1);
    const clip = this.#clip(node, style.get("clip-path"), viewport, items);
    if (isIdentity(matrix) && opacity === 1 && clip === null) {
      return [...items];
    }
    return [{ kind: "group", transform: matrix, opacity, clip, mask: null, items }];
  }

  #use(node: SvgNode, style: Style, viewport: Viewport): DisplayItem[] {
    const target = this.#referred(style.get("href"));
    if (target === undefined) {
      return [];
    }
    if (this.#uses >= USES_MAX) {
      throw new ArtworkError("unreadable", "It uses an element that uses this one again.", node);
    }
    this.#uses++;
    const x = length(style.get("x"), viewport.width) ?? 0;
    const y = length(style.get("y"), viewport.height) ?? 0;
    const size = { width: style.get("width"), height: style.get("height") };
    const items =
      target.name === "symbol"
        ? this.#nested(target, this.#styles.of(target, style), viewport, size)
        : this.#element(target, style, viewport);
    this.#uses--;
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

  #shape(node: SvgNode, style: Style, viewport: Viewport): DisplayPath | undefined {
    const path = this.#path(node, style, viewport);
    if (path === undefined || (style.get("visibility") ?? "visible") !== "visible") {
      return undefined;
    }
    if (++this.#items > ITEMS_MAX) {
      throw new ArtworkError(
        "too_large",
        `The drawing draws more than ${ITEMS_MAX} objects.`,
        node,
      );
    }
    const bounds = pathBounds(path);
    const place = { bounds, viewport };
    const fill = this.#paint("fill", node, style, place);
    const stroke = this.#stroke(node, style, place);
    if (fill === null && stroke === null) {
      return undefined;
    }
    return {
      kind: "path",
      path,
      fillRule: style.get("fill-rule") === "evenodd" ? "even_odd" : "non_zero",
      fill,
      stroke,
      isStrokeFirst: /^\s*stroke/.test(style.get("paint-order") ?? ""),
    };
  }

  /** The path of a shape, counted. */
  #path(node: SvgNode, style: Style, viewport: Viewport): Path | undefined {
    let path: Path | undefined;
    try {
      path = shapePath(node, style, viewport);
    } catch (error) {
      if (!(error instanceof ArtworkError)) {
        throw error;
      }
      this.#problem(error, "d");
    }
    this.#segments += path?.segments.length ?? 0;
    if (this.#segments > SEGMENTS_MAX) {
      throw new ArtworkError(
        "too_large",
        `The drawing's paths have more than ${SEGMENTS_MAX} segments.`,
        node,
      );
    }
    return path;
  }

  #stroke(node: SvgNode, style: Style, place: GradientPlace): Stroke | null {
    const { viewport } = place;
    const diagonal = Math.hypot(viewport.width, viewport.height) / Math.SQRT2;
    const width = length(style.get("stroke-width") ?? "1", diagonal) ?? 1;
    const fill = width > 0 ? this.#paint("stroke", node, style, place) : null;
    if (fill === null) {
      return null;
    }
    const dashes = numbers(style.get("stroke-dasharray") ?? "").map((dash) => Math.max(0, dash));
    const [cap, join] = [style.get("stroke-linecap"), style.get("stroke-linejoin")];
    return {
      ...fill,
      width,
      dashes,
      dashOffset: length(style.get("stroke-dashoffset"), diagonal) ?? 0,
      cap: cap === "round" || cap === "square" ? cap : "butt",
      join: join === "round" || join === "bevel" ? join : "miter",
      miterLimit: Number(style.get("stroke-miterlimit") ?? 4) || 4,
    };
  }

  #paint(use: "fill" | "stroke", node: SvgNode, style: Style, place: GradientPlace): Fill | null {
    const opacity = share(style.get(`${use}-opacity`), 1);
    const value = (style.get(use) ?? (use === "fill" ? "black" : "none")).trim();
    const [, id, fallback = "none"] =
      /^url\(\s*['"]?#([^'")]*)['"]?\s*\)\s*(.*)$/.exec(value) ?? [];
    const target = id === undefined ? undefined : this.#tree.ids.get(id);
    if (target?.name === "linearGradient" || target?.name === "radialGradient") {
      const paint = gradientPaint(target, this.#tree, this.#styles, place);
      if (paint === "unsupported") {
        this.#unsupported(
          target,
          target.name,
          "Repeated and reflected gradients are not converted.",
        );
        return null;
      }
      if (paint?.kind === "color") {
        return { paint: { kind: "color", rgb: paint.rgb }, opacity: opacity * paint.opacity };
      }
      return paint === undefined ? null : { paint, opacity };
    }
    if (target !== undefined) {
      this.#unsupported(node, target.name, `Painting with <${target.name}> is not converted.`);
      return null;
    }
    const plain = id === undefined ? value : fallback === "" ? "none" : fallback;
    return solidFill(plain, style, opacity);
  }

  #clip(
    node: SvgNode,
    value: string | undefined,
    viewport: Viewport,
    items: readonly DisplayItem[],
  ): DisplayClip | null {
    if (value === undefined || value === "none") {
      return null;
    }
    const target = this.#referred(/^url\(\s*['"]?(#[^'")]*)['"]?\s*\)$/.exec(value.trim())?.[1]);
    if (target?.name !== "clipPath") {
      this.#unsupported(
        node,
        "clip-path",
        "A clip-path that is not a clipPath of the drawing is not converted.",
      );
      return null;
    }
    const style = this.#styles.of(target, new Map());
    const isBox = target.attributes.get("clipPathUnits") === "objectBoundingBox";
    const box = isBox ? boxMatrix(itemsBounds(items)) : IDENTITY;
    const own = transform(style.get("transform"));
    if (box === undefined || own === undefined || style.has("clip-path")) {
      this.#unsupported(
        target,
        "clip-path",
        "A clip path that is clipped, or of nothing, is not converted.",
      );
      return null;
    }
    const inner = isBox ? { width: 1, height: 1 } : viewport;
    const shapes = target.children.flatMap((child) =>
      this.#clipShapes(child, style, inner, multiply(box, own)),
    );
    return { shapes };
  }

  #clipShapes(
    node: SvgNode,
    parent: Style,
    viewport: Viewport,
    outer: Matrix,
  ): { readonly path: Path; readonly fillRule: "non_zero" | "even_odd" }[] {
    const style = this.#styles.of(node, parent);
    const own = transform(style.get("transform"));
    if (own === undefined || style.has("clip-path") || node.name === "text") {
      this.#unsupported(
        node,
        "clip-path",
        "A clip path of text, or one that is clipped, is not converted.",
      );
      return [];
    }
    const matrix = multiply(outer, own);
    if (node.name === "use") {
      const target = this.#referred(style.get("href"));
      const x = length(style.get("x"), viewport.width) ?? 0;
      const y = length(style.get("y"), viewport.height) ?? 0;
      return target === undefined || target.name === "use"
        ? []
        : this.#clipShapes(target, style, viewport, multiply(matrix, [1, 0, 0, 1, x, y]));
    }
    const path = style.get("display") === "none" ? undefined : this.#path(node, style, viewport);
    const fillRule = style.get("clip-rule") === "evenodd" ? "even_odd" : "non_zero";
    return path === undefined ? [] : [{ path: transformPath(path, matrix), fillRule }];
  }

  #referred(href: string | undefined): SvgNode | undefined {
    return href?.startsWith("#") === true ? this.#tree.ids.get(href.slice(1)) : undefined;
  }
}

function solidFill(value: string, style: Style, opacity: number): Fill | null {
  const given = value === "currentColor" ? (style.get("color") ?? "black") : value;
  const found = given === "none" ? undefined : color(given);
  return found === undefined
    ? null
    : { paint: { kind: "color", rgb: found.rgb }, opacity: opacity * found.opacity };
}

function groupOf(
  matrix: Matrix,
  clip: DisplayClip | null,
  items: readonly DisplayItem[],
): DisplayItem {
  return { kind: "group", transform: matrix, opacity: 1, clip, mask: null, items };
}

function boxClip(width: number, height: number): DisplayClip {
  const segments = [
    ["M", 0, 0],
    ["L", width, 0],
    ["L", width, height],
    ["L", 0, height],
    ["Z"],
  ] as const;
  return { shapes: [{ path: { segments }, fillRule: "non_zero" }] };
}
