import type { Matrix } from "../../../templates/display-list.ts";
import type { DrawingBox } from "../../pdf/artwork/read-artwork.ts";
import type { SvgNode } from "../../pdf/artwork/svg-node.ts";
import type { SvgPainter } from "../../pdf/artwork/svg-painter.ts";
import { MARKED } from "../../pdf/artwork/svg-markers.ts";
import { shapePath, type Viewport } from "../../pdf/artwork/svg-shapes.ts";
import type { Style } from "../../pdf/artwork/svg-styles.ts";
import type { SvgTree } from "../../pdf/artwork/svg-tree.ts";
import { length, share, transform } from "../../pdf/artwork/svg-values.ts";
import { readViewBox, viewBoxMatrix } from "../../pdf/artwork/view-box.ts";
import type { Bounds } from "../../pdf/pdf-syntax.ts";
import { mapBounds, multiply } from "../../pdf/pdf-syntax.ts";
import { nameOf } from "../element-name.ts";
import { round } from "./matrix-parts.ts";
import { groupOf, type MadeElement, type Properties } from "./made-element.ts";
import { type Report, shapeElement } from "./shape-element.ts";
import { textElements } from "./text-elements.ts";

/** Groups inside of each other; a document has a few more levels for what holds the drawing. */
const DEPTH_MAX = 12;
const CONTAINERS = new Set(["g", "a", "svg", "switch"]);
const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];

interface Place {
  readonly style: Style;
  readonly matrix: Matrix;
  readonly viewport: Viewport;
  readonly depth: number;
}

/** What a drawing is made of, as elements of a document in a box of this size. */
export function buildChildren(
  tree: SvgTree,
  painter: SvgPainter,
  box: DrawingBox,
  size: { readonly width: number; readonly height: number },
  report: Report,
): { readonly children: readonly Properties[]; readonly objects: number } {
  const builder = new GroupBuilder(tree, painter, report);
  const aspect = tree.root.attributes.get("preserveAspectRatio");
  const matrix = viewBoxMatrix(box, size, aspect);
  const style = painter.styleOf(tree.root, new Map());
  const made = builder.children(tree.root, { style, matrix, viewport: box, depth: 1 });
  if (made.some(({ bounds }) => isOutside(bounds, [0, 0, size.width, size.height]))) {
    report.note(tree.root, "What lies outside of the drawing's box is not clipped.");
  }
  const opacity = share(style.get("opacity"), 1);
  const children = opacity < 1 && made.length > 0 ? [groupOf(made, { opacity })] : made;
  return { children: children.map(({ element }) => element), objects: builder.objects };
}

/** Whether what lies outside of an element's box is shown. */
function isShown(style: Style): boolean {
  return /^(?:visible|auto)$/.test(style.get("overflow") ?? "");
}

function isOutside([x0, y0, x1, y1]: Bounds, [bx0, by0, bx1, by1]: Bounds): boolean {
  const slack = 0.05;
  return x0 < bx0 - slack || y0 < by0 - slack || x1 > bx1 + slack || y1 > by1 + slack;
}

class GroupBuilder {
  readonly #tree: SvgTree;
  readonly #painter: SvgPainter;
  readonly #report: Report;
  objects = 0;
  #isInMarker = false;

  constructor(tree: SvgTree, painter: SvgPainter, report: Report) {
    this.#tree = tree;
    this.#painter = painter;
    this.#report = report;
  }

  children(node: SvgNode, place: Place): MadeElement[] {
    const shown = node.name === "switch" ? node.children.slice(0, 1) : node.children;
    return shown.flatMap((child) => this.#element(child, place));
  }

  #element(node: SvgNode, place: Place): MadeElement[] {
    const style = this.#painter.styleOf(node, place.style);
    if (style.get("display") === "none") {
      return [];
    }
    const own = transform(style.get("transform")) ?? IDENTITY;
    const inside = { ...place, style, matrix: multiply(place.matrix, own) };
    const made = this.#made(node, inside);
    if (made.length === 0) {
      return [];
    }
    for (const property of ["clip-path", "mask"]) {
      if ((style.get(property) ?? "none") !== "none") {
        this.#report.refuse(node, `Elements have no ${property}. Import the drawing as preserved.`);
      }
    }
    const opacity = share(style.get("opacity"), 1);
    const properties = {
      ...(nameOf(node) !== undefined && { name: nameOf(node) }),
      ...(opacity < 1 && { opacity: round(opacity) }),
    };
    const [only] = made;
    if (made.length === 1 && only !== undefined && !CONTAINERS.has(node.name)) {
      return [named(only, node, opacity)];
    }
    if (place.depth >= DEPTH_MAX) {
      if (opacity < 1) {
        this.#report.note(node, "Its objects are transparent one by one: groups nest too deeply.");
      }
      return made.map((one) => named(one, undefined, opacity));
    }
    return [groupOf(made, properties)];
  }

  #made(node: SvgNode, place: Place): MadeElement[] {
    if (node.name === "text") {
      const { style, matrix, viewport } = place;
      const tools = {
        styleOf: (one: SvgNode, parent: Style) => this.#painter.styleOf(one, parent),
        fillOf: (one: SvgNode, own: Style) => this.#painter.fillOf(one, own, viewport),
        viewport,
      };
      const made = textElements(node, style, matrix, tools, this.#report);
      this.objects += made.length;
      return made;
    }
    if (node.name === "use") {
      return this.#use(place);
    }
    if (CONTAINERS.has(node.name)) {
      const inside = { ...place, depth: place.depth + 1 };
      return node.name === "svg" ? this.#nested(node, inside, {}) : this.children(node, inside);
    }
    return [...this.#shape(node, place), ...this.#markers(node, place)];
  }

  /** Each marker as a group. */
  #markers(node: SvgNode, place: Place): MadeElement[] {
    const { style, viewport, matrix } = place;
    const path = MARKED.has(node.name) ? shapePath(node, style, viewport) : undefined;
    if (path === undefined || (style.get("visibility") ?? "visible") !== "visible") {
      return [];
    }
    if (this.#isInMarker) {
      return [];
    }
    this.#isInMarker = true;
    const made = this.#painter.markersOf(node, style, path, viewport).flatMap((placed) => {
      const { marker, style: own, frame } = placed;
      const inside = multiply(matrix, frame.matrix);
      const parts = this.children(marker, {
        style: own,
        matrix: multiply(inside, frame.fit),
        viewport: frame.inner,
        depth: place.depth + 2,
      });
      const box = mapBounds(inside, [0, 0, frame.width, frame.height]);
      if (!isShown(own) && parts.some(({ bounds }) => isOutside(bounds, box))) {
        this.#report.note(marker, "What lies outside of its box is not clipped.");
      }
      return parts.length === 0 ? [] : [groupOf(parts, { name: nameOf(marker) ?? "marker" })];
    });
    this.#isInMarker = false;
    return made;
  }

  #shape(node: SvgNode, { style, matrix, viewport }: Place): MadeElement[] {
    const item = this.#painter.shapeOf(node, style, viewport);
    if (item === undefined) {
      return [];
    }
    const number = (name: string): number => {
      const whole = /^(?:x|cx|rx|x1|x2)$/.test(name) ? viewport.width : viewport.height;
      return length(style.get(name), whole) ?? (/^r[xy]$/.test(name) ? Number.NaN : 0);
    };
    const made = shapeElement({ node, style, item, matrix, number }, this.#report);
    this.objects += made === undefined ? 0 : 1;
    return made === undefined ? [] : [made];
  }

  #use(place: Place): MadeElement[] {
    const { style, viewport } = place;
    const href = style.get("href");
    const target = href?.startsWith("#") === true ? this.#tree.ids.get(href.slice(1)) : undefined;
    if (target === undefined) {
      return [];
    }
    const x = length(style.get("x"), viewport.width) ?? 0;
    const y = length(style.get("y"), viewport.height) ?? 0;
    const moved = { ...place, matrix: multiply(place.matrix, [1, 0, 0, 1, x, y]) };
    const size = { width: style.get("width"), height: style.get("height") };
    return target.name === "symbol"
      ? this.#nested(
          target,
          { ...moved, style: this.#painter.styleOf(target, style), depth: place.depth + 1 },
          size,
        )
      : this.#element(target, moved);
  }

  #nested(
    node: SvgNode,
    place: Place,
    size: { readonly width?: string | undefined; readonly height?: string | undefined },
  ): MadeElement[] {
    const { style, viewport, matrix } = place;
    const width = length(size.width ?? style.get("width"), viewport.width) ?? viewport.width;
    const height = length(size.height ?? style.get("height"), viewport.height) ?? viewport.height;
    if (width <= 0 || height <= 0) {
      return [];
    }
    const isSymbol = node.name === "symbol";
    const x = isSymbol ? 0 : (length(style.get("x"), viewport.width) ?? 0);
    const y = isSymbol ? 0 : (length(style.get("y"), viewport.height) ?? 0);
    const viewBox = readViewBox(node.attributes.get("viewBox"));
    const aspect = node.attributes.get("preserveAspectRatio");
    const fit =
      viewBox === undefined ? IDENTITY : viewBoxMatrix(viewBox, { width, height }, aspect);
    const inner = multiply(multiply(matrix, [1, 0, 0, 1, x, y]), fit);
    const made = this.children(node, {
      ...place,
      matrix: inner,
      viewport: viewBox ?? { width, height },
    });
    if (!isShown(style)) {
      const box = mapBounds(matrix, [x, y, x + width, y + height]);
      if (made.some(({ bounds }) => isOutside(bounds, box))) {
        this.#report.note(node, "What lies outside of its box is not clipped.");
      }
    }
    return made;
  }
}

/** The element with the name of its drawing's element, and made transparent once more. */
function named(
  { element, bounds }: MadeElement,
  node: SvgNode | undefined,
  opacity: number,
): MadeElement {
  const before = typeof element["opacity"] === "number" ? element["opacity"] : 1;
  const name = (node === undefined ? undefined : nameOf(node)) ?? element["name"];
  return {
    bounds,
    element: {
      ...element,
      ...(name !== undefined && { name }),
      ...(opacity * before < 1 && { opacity: round(opacity * before) }),
    },
  };
}
