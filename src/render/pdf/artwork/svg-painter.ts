import type {
  DisplayClip,
  DisplayGroup,
  DisplayItem,
  DisplayPath,
  DrawnMask,
  Fill,
  Matrix,
  Path,
  Stroke,
} from "../../../templates/display-list.ts";
import { type Bounds, isIdentity, mapBounds, multiply } from "../pdf-syntax.ts";
import { grayItems } from "../recolor.ts";
import { ArtworkError } from "./artwork-error.ts";
import { itemsBounds, transformPath } from "./item-bounds.ts";
import { boxMatrix, type GradientPlace, gradientPaint, ownStyle } from "./svg-gradient.ts";
import { MARKED, type MarkerFrame, markerFrame, markerPlaces } from "./svg-markers.ts";
import {
  type PatternFill,
  patternFill,
  patternStroke,
  patternTiles,
  type StrokePattern,
} from "./svg-pattern.ts";
import { boxClip, pathBounds, shapePath, type Viewport } from "./svg-shapes.ts";
import { type DrawingFonts, paintedText, placeText, placeWithoutFonts } from "./svg-text.ts";
import { fontSizeOf, type TextChunk, textChunks, type TextPiece } from "./text-chunks.ts";
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
/** Characters of all texts, which are shaped one by one. */
const CHARACTERS_MAX = 100_000;
/** Uses, masks, patterns and markers inside of each other. */
const USES_MAX = 20;

const SHAPES = new Set(["path", "rect", "circle", "ellipse", "line", "polyline", "polygon"]);
const CONTAINERS = new Set(["g", "a", "svg", "switch"]);
/** Elements that draw something that this reader does not convert. */
const UNSUPPORTED = new Set(["image", "foreignObject", "video", "audio", "canvas", "iframe"]);
/** Properties whose effect is not converted, with the values that have none. */
const UNSUPPORTED_EFFECTS: readonly (readonly [string, readonly string[]])[] = [
  ["filter", ["none"]],
  ["mix-blend-mode", ["normal"]],
  ["vector-effect", ["none"]],
];
/** The same, of texts. */
const UNSUPPORTED_TEXT_EFFECTS: typeof UNSUPPORTED_EFFECTS = [
  ["rotate", ["0"]],
  ["word-spacing", ["0", "normal", "0px"]],
  ["writing-mode", ["horizontal-tb", "lr", "lr-tb", "rl", "rl-tb"]],
  ["font-variant", ["normal", "none"]],
  ["lengthAdjust", ["spacing"]],
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

export interface PainterOptions {
  /** Receives each part that cannot be converted, which then draws nothing. Without it the first one is thrown. */
  readonly onProblem?: (error: ArtworkError, part: string) => void;
  /** Without them a text is one item for each of its runs, with its paints and without glyphs. */
  readonly fonts?: DrawingFonts;
  /** Whether masks and patterns, which elements of a document do not have, are problems. */
  readonly isForElements?: boolean;
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
  #characters = 0;
  #isInMarker = false;

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

  /** A shape with its paints, in its own coordinates; undefined if it draws nothing. Patterns paint nothing. */
  shapeOf(node: SvgNode, style: Style, viewport: Viewport): DisplayPath | undefined {
    return this.#shape(node, style, viewport)?.path;
  }

  /** The fill of something without bounds of its own. */
  fillOf(node: SvgNode, style: Style, viewport: Viewport): Fill | null {
    const bounds = [0, 0, 1, 1] as const;
    const paint = this.#paint("fill", node, style, { bounds, painted: bounds, viewport });
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
      this.#unsupported(node, "marker-mid", message);
    }
    const diagonal = Math.hypot(viewport.width, viewport.height) / Math.SQRT2;
    const width = length(style.get("stroke-width") ?? "1", diagonal) ?? 1;
    return markerPlaces(path).flatMap((place): PlacedMarker[] => {
      const marker = this.#referred(urlTarget(given(place.property)));
      if (marker?.name !== "marker") {
        return [];
      }
      this.#visit(node);
      const own = ownStyle(marker, this.#styles);
      const frame = markerFrame(marker, own, place, width);
      return frame === undefined ? [] : [{ marker, style: own, frame }];
    });
  }

  #visit(node: SvgNode): void {
    if (++this.#visits > VISITS_MAX) {
      throw new ArtworkError("too_large", `Its uses draw more than ${VISITS_MAX} elements.`, node);
    }
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
    this.#visit(node);
    const style = this.#styles.of(node, parent);
    if (style.get("display") === "none") {
      return [];
    }
    if (UNSUPPORTED.has(node.name)) {
      this.#unsupported(node, node.name, `<${node.name}> is not converted.`);
      return [];
    }
    if (SHAPES.has(node.name)) {
      return this.#wrapped(node, style, viewport, this.#shapeItems(node, style, viewport));
    }
    if (node.name === "text") {
      return this.#wrapped(node, style, viewport, this.#text(node, style, viewport));
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
    this.#refuse(node, style, UNSUPPORTED_EFFECTS);
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
    const mask = this.#mask(node, style.get("mask"), viewport, items);
    if (mask === "nothing") {
      return [];
    }
    if (isIdentity(matrix) && opacity === 1 && clip === null && mask === null) {
      return [...items];
    }
    return [{ kind: "group", transform: matrix, opacity, clip, mask, items }];
  }

  /** Runs `work`, which draws what an element refers to. */
  #inside<T>(node: SvgNode, work: () => T): T {
    if (this.#uses >= USES_MAX) {
      throw new ArtworkError("unreadable", "It uses an element that uses this one again.", node);
    }
    this.#uses++;
    const made = work();
    this.#uses--;
    return made;
  }

  #use(node: SvgNode, style: Style, viewport: Viewport): DisplayItem[] {
    const target = this.#referred(style.get("href"));
    if (target === undefined) {
      return [];
    }
    const x = length(style.get("x"), viewport.width) ?? 0;
    const y = length(style.get("y"), viewport.height) ?? 0;
    const size = { width: style.get("width"), height: style.get("height") };
    const items = this.#inside(node, () =>
      target.name === "symbol"
        ? this.#nested(target, this.#styles.of(target, style), viewport, size)
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
      return this.#markerItems(node, style, this.#path(node, style, viewport), viewport);
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
      const items = this.#inside(node, () => this.#children(marker, own, frame.inner));
      this.#isInMarker = false;
      const shows = own.get("overflow");
      const clip =
        shows === "visible" || shows === "auto" ? null : boxClip(frame.width, frame.height);
      const fitted = groupOf(frame.fit, null, items);
      return items.length === 0 ? [] : [groupOf(frame.matrix, clip, [fitted])];
    });
  }

  #shape(node: SvgNode, style: Style, viewport: Viewport): PaintedShape | undefined {
    const path = this.#path(node, style, viewport);
    if (path === undefined || (style.get("visibility") ?? "visible") !== "visible") {
      return undefined;
    }
    const bounds = pathBounds(path);
    const fill = this.#paint("fill", node, style, { bounds, painted: bounds, viewport });
    const stroke = this.#stroke(node, style, { bounds, painted: bounds, viewport });
    if (fill === null && stroke === null) {
      return undefined;
    }
    this.#count(node);
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

  /** Another drawn object. */
  #count(node: SvgNode): void {
    if (++this.#items > ITEMS_MAX) {
      throw new ArtworkError(
        "too_large",
        `The drawing draws more than ${ITEMS_MAX} objects.`,
        node,
      );
    }
  }

  #text(node: SvgNode, style: Style, viewport: Viewport): DisplayItem[] {
    const chunks = textChunks(node, style, {
      styleOf: (one, parent) => this.#styles.of(one, parent),
      onUnsupported: (one, part, message) => {
        this.#textProblem(one, part, message);
      },
      viewport,
    });
    for (const chunk of chunks) {
      this.#count(node);
      this.#characters += chunk.pieces.reduce((sum, { text }) => sum + text.length, 0);
    }
    if (this.#characters > CHARACTERS_MAX) {
      const message = `The drawing's texts have more than ${CHARACTERS_MAX} characters.`;
      throw new ArtworkError("too_large", message, node);
    }
    const checked = new Set<Style>();
    for (const { node: one, style: own } of chunks.flatMap(({ pieces }) => pieces)) {
      if (!checked.has(own)) {
        checked.add(own);
        this.#refuse(
          one,
          own,
          this.#options.isForElements === true ? [] : UNSUPPORTED_TEXT_EFFECTS,
        );
      }
    }
    const textLength = this.#textLength(node, style, viewport, chunks);
    const placed =
      this.#options.fonts === undefined
        ? placeWithoutFonts(chunks)
        : placeText(chunks, this.#options.fonts, textLength);
    if (placed === undefined) {
      return [];
    }
    const place = { bounds: placed.bounds, painted: placed.bounds, viewport };
    const paints = new Map<TextPiece, readonly [Fill | null, Stroke | null]>();
    return placed.items.flatMap(({ piece, item }) => {
      const [fill, stroke] =
        paints.get(piece) ?? paints.set(piece, this.#textPaints(piece, place)).get(piece) ?? [];
      return paintedText(item, fill ?? null, stroke ?? null) ?? [];
    });
  }

  /** Elements of a document take a text approximately. */
  #textProblem(node: SvgNode, part: string, message: string): void {
    if (this.#options.isForElements !== true) {
      this.#unsupported(node, part, message);
    }
  }

  #textLength(
    node: SvgNode,
    style: Style,
    { width }: Viewport,
    chunks: readonly TextChunk[],
  ): number | undefined {
    const stretched = chunks
      .flatMap(({ pieces }) => pieces)
      .find((piece) => piece.node !== node && piece.node.attributes.has("textLength"));
    const wanted = length(node.attributes.get("textLength"), width, fontSizeOf(style));
    if (stretched !== undefined || (wanted !== undefined && chunks.length > 1)) {
      const message = "A textLength of a part of a text is not converted.";
      this.#textProblem(stretched?.node ?? node, "textLength", message);
    }
    return wanted;
  }

  #textPaints(
    { node, style }: TextPiece,
    place: GradientPlace,
  ): readonly [Fill | null, Stroke | null] {
    if ((style.get("visibility") ?? "visible") !== "visible") {
      return [null, null];
    }
    const fill = this.#paint("fill", node, style, place);
    const stroke = this.#stroke(node, style, place);
    if ((fill !== null && "pattern" in fill) || (stroke !== null && "pattern" in stroke)) {
      this.#unsupported(
        node,
        "pattern",
        "Texts that are painted with a pattern are not converted.",
      );
      return [null, null];
    }
    const isPlain = fill?.paint.kind !== "gradient" && stroke?.paint.kind !== "gradient";
    if (stroke !== null && (!isPlain || /^\s*stroke/.test(style.get("paint-order") ?? ""))) {
      const message =
        "Texts with a stroke below their fill, or beside a gradient, are not converted.";
      this.#textProblem(node, "stroke", message);
      return [fill, null];
    }
    return [fill, stroke];
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

  #stroke(node: SvgNode, style: Style, within: GradientPlace): Stroke | StrokePattern | null {
    const { viewport, bounds } = within;
    const diagonal = Math.hypot(viewport.width, viewport.height) / Math.SQRT2;
    const width = length(style.get("stroke-width") ?? "1", diagonal) ?? 1;
    if (width <= 0) {
      return null;
    }
    const miterLimit = Number(style.get("stroke-miterlimit") ?? 4) || 4;
    const reach = (width / 2) * Math.max(2, Math.min(10, miterLimit));
    const painted: Bounds | undefined = bounds && [
      bounds[0] - reach,
      bounds[1] - reach,
      bounds[2] + reach,
      bounds[3] + reach,
    ];
    const fill = this.#paint("stroke", node, style, { ...within, painted });
    if (fill === null) {
      return null;
    }
    const dashes = numbers(style.get("stroke-dasharray") ?? "").map((dash) => Math.max(0, dash));
    const [cap, join] = [style.get("stroke-linecap"), style.get("stroke-linejoin")];
    const settings = {
      width,
      dashes,
      dashOffset: length(style.get("stroke-dashoffset"), diagonal) ?? 0,
      cap: cap === "round" || cap === "square" ? cap : "butt",
      join: join === "round" || join === "bevel" ? join : "miter",
      miterLimit,
    } as const;
    return "pattern" in fill ? { ...fill, settings, painted } : { ...fill, ...settings };
  }

  #paint(
    use: "fill" | "stroke",
    node: SvgNode,
    style: Style,
    place: GradientPlace,
  ): Fill | PatternFill | null {
    const opacity = share(style.get(`${use}-opacity`), 1);
    const value = (style.get(use) ?? (use === "fill" ? "black" : "none")).trim();
    const [, id, fallback = "none"] =
      /^url\(\s*['"]?#([^'")]*)['"]?\s*\)\s*(.*)$/.exec(value) ?? [];
    const target = id === undefined ? undefined : this.#tree.ids.get(id);
    if (target?.name === "linearGradient" || target?.name === "radialGradient") {
      const paint = gradientPaint(target, this.#tree, this.#styles, place);
      if (paint === "unsupported") {
        const message =
          "Gradients with more than 256 stops, repeated ones counted, are not converted.";
        this.#unsupported(target, target.name, message);
        return null;
      }
      if (paint?.kind === "color") {
        return { paint: { kind: "color", rgb: paint.rgb }, opacity: opacity * paint.opacity };
      }
      return paint === undefined ? null : { paint, opacity };
    }
    if (target?.name === "pattern") {
      return this.#pattern(node, target, opacity, place);
    }
    if (target !== undefined) {
      this.#unsupported(node, target.name, `Painting with <${target.name}> is not converted.`);
      return null;
    }
    const plain = id === undefined ? value : fallback === "" ? "none" : fallback;
    return solidFill(plain, style, opacity);
  }

  #pattern(
    node: SvgNode,
    target: SvgNode,
    opacity: number,
    place: GradientPlace,
  ): PatternFill | null {
    if (this.#options.isForElements === true) {
      this.#unsupported(
        node,
        "pattern",
        "Elements have no patterns. Import the drawing as preserved.",
      );
      return null;
    }
    const tiles = patternTiles(target, this.#tree, place, (holder, viewport) =>
      this.#inside(node, () => this.#children(holder, ownStyle(holder, this.#styles), viewport)),
    );
    if (tiles === "too_many") {
      this.#unsupported(
        node,
        "pattern",
        "Its pattern is repeated too often. Make its tile larger.",
      );
      return null;
    }
    return tiles.length === 0 ? null : { pattern: tiles, opacity };
  }

  #mask(
    node: SvgNode,
    value: string | undefined,
    viewport: Viewport,
    items: readonly DisplayItem[],
  ): DrawnMask | "nothing" | null {
    if (value === undefined || value === "none") {
      return null;
    }
    if (this.#options.isForElements === true) {
      this.#unsupported(node, "mask", "Elements have no masks. Import the drawing as preserved.");
      return null;
    }
    const target = this.#referred(urlTarget(value));
    if (target?.name !== "mask") {
      this.#unsupported(node, "mask", "A mask that is not a mask of the drawing is not converted.");
      return null;
    }
    const bounds = boxMatrix(itemsBounds(items));
    const isBox = target.attributes.get("maskUnits") !== "userSpaceOnUse";
    const isContentBox = target.attributes.get("maskContentUnits") === "objectBoundingBox";
    if ((isBox || isContentBox) && bounds === undefined) {
      return "nothing";
    }
    const { width, height } = isBox ? { width: 1, height: 1 } : viewport;
    const at = (key: string, whole: number, otherwise: string): number =>
      length(target.attributes.get(key) ?? otherwise, whole) ?? 0;
    const given = [at("x", width, "-10%"), at("y", height, "-10%")] as const;
    const size = [at("width", width, "120%"), at("height", height, "120%")] as const;
    if (!(size[0] > 0 && size[1] > 0)) {
      return "nothing";
    }
    const corners = [given[0], given[1], given[0] + size[0], given[1] + size[1]] as const;
    const [x0, y0, x1, y1] = isBox && bounds !== undefined ? mapBounds(bounds, corners) : corners;
    const style = ownStyle(target, this.#styles);
    const inner = isContentBox ? { width: 1, height: 1 } : viewport;
    const objects = this.#items;
    const drawn = this.#inside(node, () => {
      const children = this.#children(target, style, inner);
      const nested = this.#mask(target, target.attributes.get("mask"), viewport, items);
      const content = isContentBox ? [groupOf(bounds ?? IDENTITY, null, children)] : children;
      return nested === null || nested === "nothing"
        ? content
        : [{ ...groupOf(IDENTITY, null, content), mask: nested }];
    });
    // What a mask is made of is not seen.
    this.#items = objects;
    const kind = style.get("mask-type") === "alpha" ? "alpha" : "luminance";
    return {
      box: { x: x0, y: y0, width: x1 - x0, height: y1 - y0 },
      items: grayItems(drawn, kind),
    };
  }

  #refuse(node: SvgNode, style: Style, effects: typeof UNSUPPORTED_EFFECTS): void {
    for (const [property, harmless] of effects) {
      const value = style.get(property);
      if (value !== undefined && !harmless.includes(value)) {
        this.#unsupported(node, property, `The property ${property} is not converted.`);
      }
    }
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
    const target = this.#referred(urlTarget(value));
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

/** The id that an address in a property names, with its `#`. */
function urlTarget(value: string | undefined): string | undefined {
  return /^url\(\s*['"]?(#[^'")]*)['"]?\s*\)$/.exec(value?.trim() ?? "")?.[1];
}

function isUrl(value: string | undefined): boolean {
  return urlTarget(value) !== undefined;
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
): DisplayGroup {
  return { kind: "group", transform: matrix, opacity: 1, clip, mask: null, items };
}
