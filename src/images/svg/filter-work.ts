import { LIMITS } from "../../lib/limits/limits-table.ts";
import { scanSvgTags, type SvgTag } from "./scan-svg-tags.ts";

/**
 * Maximum number of filter steps times the megapixels of each. A simple step of one megapixel takes
 * about 20 ms.
 */
export const FILTER_WORK_MAX = LIMITS.svg_filter_work.value;

/**
 * Cost of a step for each pixel, relative to a simple step (feOffset is 1), as measured in
 * docs/decisions/pictures.md. For the steps listed after these, the cost also grows with their
 * lengths.
 */
const STEP_WORK: Readonly<Record<string, number>> = {
  feBlend: 4,
  feDropShadow: 3,
  feMergeNode: 2,
  feDiffuseLighting: 2,
  feSpecularLighting: 2,
  feTurbulence: 0,
  feMorphology: 0,
  feConvolveMatrix: 0,
  feMerge: 0,
};
const OCTAVE_WORK = 3;
/** Blurs of less than two pixels use another algorithm. */
const BLUR_WORK = 4;
const NARROW_BLUR_WORK = 10;
const NARROW_BLUR_PX = 2;
/** Number of neighboring pixels that cost as much as one simple step. */
const MORPHOLOGY_PIXELS = 20;
const KERNEL_PIXELS = 13;
const PIXELS = 1_000_000;

type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number];

interface Step {
  readonly element: string;
  /** For each pixel, in addition to the cost of its lengths. */
  readonly work: number;
  /** In the filter's units; undefined if it has none. */
  readonly blur: number | undefined;
  readonly radius: readonly [number, number] | undefined;
}

interface Filter {
  readonly id: string;
  /** Of its region: relative to the filtered element if `isSizeOfBox`. */
  readonly size: readonly [number, number];
  readonly isSizeOfBox: boolean;
  readonly areLengthsOfBox: boolean;
  readonly steps: Step[];
}

/** A filtered group while its content is read; lengths in pixels of the picture. */
interface Use {
  readonly filters: readonly Filter[];
  readonly scale: number;
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Content that is drawn once for each reference: the drawing itself, a pattern, a mask. */
interface Part {
  readonly isPattern: boolean;
  work: number;
  readonly refers: Map<string, number>;
  total: number | undefined;
}

export interface FilterWork {
  readonly work: number;
  /** The most expensive step: its element and its filter. */
  readonly most: { readonly element: string; readonly filter: string } | undefined;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * Maximum work of a drawing's filters at this size in pixels: every use of a filter, each of its
 * steps, over the pixels of its region. `resolved` is the renderer's own text of a drawing of
 * `size` units: absolute paths, matrices, no styles.
 */
export function filterWork(resolved: string, size: Size, px: Size): FilterWork {
  if (!resolved.includes("<filter")) {
    return { work: 0, most: undefined };
  }
  const count = new WorkCount(readFilters(resolved), size, px);
  for (const tag of scanSvgTags(resolved)) {
    if (tag.kind === "close") {
      count.close();
    } else {
      count.open(tag);
    }
  }
  return count.total();
}

interface OpenElement {
  readonly part: Part;
  readonly matrix: Matrix;
  readonly use: Use | undefined;
}

/** Adds up the work of a drawing's filters, tag by tag. */
class WorkCount {
  readonly #filters: ReadonlyMap<string, Filter>;
  readonly #px: Size;
  readonly #root: Matrix;
  readonly #drawing = newPart(false);
  readonly #parts = new Map<string, Part>();
  readonly #open: OpenElement[] = [];
  #most = { work: 0, element: "", filter: "" };

  constructor(filters: ReadonlyMap<string, Filter>, size: Size, px: Size) {
    this.#filters = filters;
    this.#px = px;
    this.#root = [px.width / size.width, 0, 0, px.height / size.height, 0, 0];
  }

  open({ kind, name, attributes }: SvgTag): void {
    const above = this.#open.at(-1);
    const part = this.#partOf(name, attributes) ?? above?.part ?? this.#drawing;
    for (const [, id = ""] of attributes.matchAll(/(?:fill|stroke|mask)="url\(#([^)"]*)\)/g)) {
      part.refers.set(id, (part.refers.get(id) ?? 0) + 1);
    }
    const matrix = times(above?.matrix ?? this.#root, matrixOf(attributes));
    const use = this.#useOf(attributes, matrix);
    if (name === "path") {
      const around = use ?? this.#around();
      if (around !== undefined) {
        extendByPath(around, attribute(attributes, "d") ?? "", matrix);
      }
    }
    this.#open.push({ part, matrix, use });
    if (kind === "empty") {
      this.close();
    }
  }

  close(): void {
    const closed = this.#open.pop();
    if (closed?.use === undefined) {
      return;
    }
    this.#settle(closed.part, closed.use);
    const outer = this.#around();
    if (outer !== undefined) {
      extend(outer, closed.use.left, closed.use.top);
      extend(outer, closed.use.right, closed.use.bottom);
    }
  }

  total(): FilterWork {
    const { work, element, filter } = this.#most;
    return {
      work: totalOf(this.#drawing, this.#parts),
      most: work === 0 ? undefined : { element, filter },
    };
  }

  /** Its own part, if the element is one. */
  #partOf(name: string, attributes: string): Part | undefined {
    if (name !== "pattern" && name !== "mask") {
      return undefined;
    }
    const part = newPart(name === "pattern");
    this.#parts.set(attribute(attributes, "id") ?? "", part);
    return part;
  }

  #useOf(attributes: string, matrix: Matrix): Use | undefined {
    const named = attribute(attributes, "filter") ?? "";
    const filters = [...named.matchAll(/url\(#([^)]*)\)/g)].flatMap(
      ([, id = ""]) => this.#filters.get(id) ?? [],
    );
    return filters.length === 0 ? undefined : newUse(filters, matrix);
  }

  /** The filtered group that contains the current element. */
  #around(): Use | undefined {
    return this.#open.findLast(({ use }) => use !== undefined)?.use;
  }

  #settle(part: Part, use: Use): void {
    const canvas = this.#px.width * this.#px.height;
    for (const filter of use.filters) {
      // The scale of a pattern's tile is not in its text.
      const pixels = part.isPattern ? canvas : regionOf(filter, use, canvas);
      for (const step of filter.steps) {
        const work = (workOf(step, filter, use, this.#px) * pixels) / PIXELS;
        part.work += work;
        if (work > this.#most.work) {
          this.#most = { work, element: step.element, filter: filter.id };
        }
      }
    }
  }
}

function readFilters(resolved: string): Map<string, Filter> {
  const filters = new Map<string, Filter>();
  let filter: Filter | undefined;
  for (const { kind, name, attributes } of scanSvgTags(resolved)) {
    if (name === "filter") {
      filter = kind === "open" ? filterOf(attributes) : undefined;
      if (filter !== undefined) {
        filters.set(filter.id, filter);
      }
    } else if (filter !== undefined && kind !== "close" && name.startsWith("fe")) {
      filter.steps.push(stepOf(name, attributes));
    }
  }
  return filters;
}

function filterOf(attributes: string): Filter {
  return {
    id: attribute(attributes, "id") ?? "",
    size: [
      numbers(attribute(attributes, "width"))[0] ?? 1.2,
      numbers(attribute(attributes, "height"))[0] ?? 1.2,
    ],
    isSizeOfBox: attribute(attributes, "filterUnits") !== "userSpaceOnUse",
    areLengthsOfBox: attribute(attributes, "primitiveUnits") === "objectBoundingBox",
    steps: [],
  };
}

function stepOf(element: string, attributes: string): Step {
  const of = (name: string) => numbers(attribute(attributes, name));
  let work = STEP_WORK[element] ?? 1;
  if (element === "feTurbulence") {
    work = OCTAVE_WORK * Math.max(1, of("numOctaves")[0] ?? 1);
  } else if (element === "feConvolveMatrix") {
    const [x = 3, y = x] = of("order");
    work = 1 + (x * y) / KERNEL_PIXELS;
  }
  const [rx = 0, ry = rx] = of("radius");
  const isBlur = element === "feGaussianBlur" || element === "feDropShadow";
  return {
    element,
    work,
    blur: isBlur ? Math.min(...of("stdDeviation").filter((each) => each > 0)) : undefined,
    radius: element === "feMorphology" ? [rx, ry] : undefined,
  };
}

/** Cost of a step for each pixel of a use. */
function workOf(step: Step, { areLengthsOfBox }: Filter, use: Use, px: Size): number {
  const [width, height] = boxOf(use);
  const unit = areLengthsOfBox ? Math.max(width, height) : use.scale;
  let { work } = step;
  if (step.blur !== undefined && Number.isFinite(step.blur)) {
    work += step.blur * unit < NARROW_BLUR_PX ? NARROW_BLUR_WORK : BLUR_WORK;
  }
  if (step.radius !== undefined) {
    const [rx, ry] = step.radius;
    const across = Math.min(px.width, 2 * rx * unit + 1);
    const down = Math.min(px.height, 2 * ry * unit + 1);
    work += 1 + (across * down) / MORPHOLOGY_PIXELS;
  }
  return work;
}

/** Number of the picture's pixels that a filter processes. */
function regionOf({ size, isSizeOfBox }: Filter, use: Use, canvas: number): number {
  const [width, height] = boxOf(use);
  const [w, h] = size;
  // A rotated box may be in any direction: its longer side is used for both.
  const pixels = isSizeOfBox
    ? width * height * Math.max(w, h) ** 2
    : w * use.scale * (h * use.scale);
  return Math.min(canvas, Math.max(0, pixels));
}

function boxOf({ left, top, right, bottom }: Use): readonly [number, number] {
  return left > right ? [0, 0] : [right - left, bottom - top];
}

function newPart(isPattern: boolean): Part {
  return { isPattern, work: 0, refers: new Map(), total: undefined };
}

function newUse(filters: readonly Filter[], [a, b, c, d]: Matrix): Use {
  return {
    filters,
    scale: Math.max(Math.hypot(a, b), Math.hypot(c, d)),
    left: Infinity,
    top: Infinity,
    right: -Infinity,
    bottom: -Infinity,
  };
}

/**
 * Including everything that it refers to, for each reference; the renderer breaks cycles, which
 * therefore count once.
 */
function totalOf(part: Part, parts: ReadonlyMap<string, Part>): number {
  if (part.total === undefined) {
    part.total = 0;
    let total = part.work;
    for (const [id, count] of part.refers) {
      const other = parts.get(id);
      total += other === undefined ? 0 : count * totalOf(other, parts);
    }
    part.total = total;
  }
  return part.total;
}

function extend(use: Use, x: number, y: number): void {
  use.left = Math.min(use.left, x);
  use.top = Math.min(use.top, y);
  use.right = Math.max(use.right, x);
  use.bottom = Math.max(use.bottom, y);
}

/** The bounds of all points in the path; curves are within them. */
function extendByPath(use: Use, path: string, [a, b, c, d, e, f]: Matrix): void {
  let x: number | undefined;
  for (const [text] of path.matchAll(/[-+.\deE]+/g)) {
    const number = Number(text);
    if (x === undefined) {
      x = number;
    } else {
      extend(use, a * x + c * number + e, b * x + d * number + f);
      x = undefined;
    }
  }
}

function matrixOf(attributes: string): Matrix {
  const given = /\stransform="matrix\(([^)]*)\)/.exec(attributes)?.[1];
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = numbers(given);
  return [a, b, c, d, e, f];
}

function times([a, b, c, d, e, f]: Matrix, [g, h, i, j, k, l]: Matrix): Matrix {
  return [
    a * g + c * h,
    b * g + d * h,
    a * i + c * j,
    b * i + d * j,
    a * k + c * l + e,
    b * k + d * l + f,
  ];
}

function attribute(attributes: string, name: string): string | undefined {
  return new RegExp(`\\s${name}="([^"]*)"`).exec(attributes)?.[1];
}

function numbers(text: string | undefined): number[] {
  return (text ?? "")
    .split(/[\s,]+/)
    .filter((each) => each !== "")
    .map(Number)
    .filter(Number.isFinite);
}
