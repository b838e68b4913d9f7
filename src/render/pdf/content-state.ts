import type { Matrix, SolidPaint, Stroke } from "../../templates/display-list.ts";
import type { PdfDocument } from "./pdf-document.ts";
import { INITIAL_STROKE, strokeSettings } from "./path-operators.ts";
import {
  type Bounds,
  factor,
  invert,
  isIdentity,
  mapBounds,
  matrixText,
  multiply,
} from "./pdf-syntax.ts";
import { dictOf, factorOf, refOf } from "./pdf-objects.ts";
import { ResourceScope } from "./resource-scope.ts";

const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];

/** What operators have set, so that nothing is set twice. */
type GraphicsState = Map<string, string>;

/**
 * The operators of one content stream and the graphics state that they leave. Matrices of patterns are relative to the
 * stream's own start, and boxes of forms to what of the page can be seen, so both are followed.
 */
export class ContentState {
  readonly scope: ResourceScope;
  readonly #document: PdfDocument;
  readonly #lines: string[] = [];
  #state: GraphicsState;
  readonly #states: { readonly state: GraphicsState; readonly matrix: Matrix }[] = [];
  #matrix: Matrix = IDENTITY;
  /** What can be seen, in the stream's own space. */
  readonly #visible: Bounds;
  /** Whether anything was composed with what lies below. */
  hasTransparency = false;

  /** A form begins with the graphics state of the place where it is used; a page with that of PDF. */
  constructor(document: PdfDocument, visible: Bounds, kind: "page" | "form") {
    this.#document = document;
    this.#visible = visible;
    this.#state = new Map(kind === "page" ? INITIAL_STROKE : []);
    this.scope = new ResourceScope(document.profile?.defaultSpaces);
  }

  get matrix(): Matrix {
    return this.#matrix;
  }

  /** What can be seen, in the current coordinates. */
  get visible(): Bounds {
    const inverse = invert(this.#matrix);
    return inverse === undefined ? this.#visible : mapBounds(inverse, this.#visible);
  }

  text(): string {
    return this.#lines.join("\n");
  }

  add(...operators: readonly string[]): void {
    this.#lines.push(...operators);
  }

  transform(matrix: Matrix): void {
    if (!isIdentity(matrix)) {
      this.#matrix = multiply(this.#matrix, matrix);
      this.#lines.push(`${matrixText(matrix)} cm`);
    }
  }

  save(): void {
    this.#states.push({ state: new Map(this.#state), matrix: this.#matrix });
    this.#lines.push("q");
  }

  restore(): void {
    const saved = this.#states.pop();
    if (saved === undefined) {
      throw new Error("More graphics states were restored than saved.");
    }
    this.#state = saved.state;
    this.#matrix = saved.matrix;
    this.#lines.push("Q");
  }

  set(key: string, operator: string): void {
    if (this.#state.get(key) !== operator) {
      this.#state.set(key, operator);
      this.#lines.push(operator);
    }
  }

  /** After operators that set it in another way. */
  forget(key: string): void {
    this.#state.delete(key);
  }

  setOpacity(fill: number, stroke: number): void {
    const isOpaque = fill >= 1 && stroke >= 1;
    if (isOpaque && !this.#state.has("opacity")) {
      return;
    }
    this.hasTransparency ||= !isOpaque;
    this.set("opacity", `${this.scope.useState({ ca: factorOf(fill), CA: factorOf(stroke) })} gs`);
  }

  setColor({ rgb }: Pick<SolidPaint, "rgb">, use: "fill" | "stroke"): void {
    const isGray = rgb[0] === rgb[1] && rgb[1] === rgb[2];
    // Gray is one number, but only where the color space of gray is that of colors.
    const values =
      isGray && this.#document.profile === undefined
        ? [factor(rgb[0] / 255), use === "fill" ? "g" : "G"]
        : [...rgb.map((one) => factor(one / 255)), use === "fill" ? "rg" : "RG"];
    this.set(use, values.join(" "));
  }

  setStroke(stroke: Stroke): void {
    for (const [key, operator] of strokeSettings(stroke)) {
      this.set(key, operator);
    }
  }

  setMask(form: number): void {
    this.hasTransparency = true;
    const SMask = dictOf({ S: "Luminosity", G: refOf(form) });
    this.#lines.push(`${this.scope.useState({ SMask })} gs`);
  }
}
