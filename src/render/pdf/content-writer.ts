import type {
  DisplayArtwork,
  DisplayGroup,
  DisplayItem,
  DisplayMask,
  DisplayPath,
  DisplayPicture,
  FillRule,
  GradientPaint,
  Matrix,
  Path,
  SolidPaint,
  Stroke,
} from "../../templates/display-list.ts";
import type { PdfDocument, SharedObject } from "./pdf-document.ts";
import { evenOpacity, solidEnd } from "./gradient.ts";
import { GlyphWriter } from "./glyph-writer.ts";
import { INITIAL_STROKE, boxText, pathText, strokeSettings } from "./path-operators.ts";
import {
  type Bounds,
  boundsText,
  factor,
  invert,
  isIdentity,
  mapBounds,
  matrixText,
  multiply,
} from "./pdf-syntax.ts";
import { recolorItems } from "./recolor.ts";
import { ResourceScope } from "./resource-scope.ts";
import { storedToShown } from "./pictures/orientation-matrix.ts";

const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];
/** From the unit square with y down to that of PDF's images, with y up. */
const FLIP_UNIT: Matrix = [1, 0, 0, -1, 0, 1];

/** What operators have set, so that nothing is set twice. */
type GraphicsState = Map<string, string>;

/**
 * One content stream: items become operators. Matrices of patterns are relative to the stream's own start, and
 * boxes of forms to what of the page can be seen, so both are followed.
 */
export class ContentWriter {
  readonly scope: ResourceScope;
  readonly #document: PdfDocument;
  readonly #lines: string[] = [];
  #state: GraphicsState;
  readonly #states: { readonly state: GraphicsState; readonly matrix: Matrix }[] = [];
  #matrix: Matrix = IDENTITY;
  /** What can be seen, in the stream's own space. */
  readonly #visible: Bounds;
  #hasTransparency = false;

  /** A form begins with the graphics state of the place where it is used; a page with that of PDF. */
  constructor(document: PdfDocument, visible: Bounds, kind: "page" | "form") {
    this.#document = document;
    this.#visible = visible;
    this.#state = new Map(kind === "page" ? INITIAL_STROKE : []);
    this.scope = new ResourceScope(document.profile?.defaultSpaces ?? "");
  }

  /** Whether anything was composed with what lies below. */
  get hasTransparency(): boolean {
    return this.#hasTransparency;
  }

  text(): string {
    return this.#lines.join("\n");
  }

  transform(matrix: Matrix): void {
    if (!isIdentity(matrix)) {
      this.#matrix = multiply(this.#matrix, matrix);
      this.#lines.push(`${matrixText(matrix)} cm`);
    }
  }

  draw(items: readonly DisplayItem[]): void {
    for (const item of items) {
      this.#drawItem(item);
    }
  }

  #drawItem(item: DisplayItem): void {
    switch (item.kind) {
      case "group":
        return this.#drawGroup(item);
      case "path":
        return this.#drawPath(item);
      case "glyphs": {
        if (item.glyphs.length === 0 || item.size <= 0 || item.opacity <= 0) {
          return;
        }
        return this.#painted(item.fill, item.opacity, "fill", () => {
          const font = this.#document.font(item.face);
          const name = this.scope.use("Font", font.name, font.ref);
          const lines = new GlyphWriter(item, font).lines();
          this.#set("font", `${name} ${factor(item.size)} Tf`);
          this.#lines.push(...lines);
        });
      }
      case "picture":
        return this.#drawPicture(item);
      case "artwork":
        return this.#drawArtwork(item);
    }
  }

  #save(): void {
    this.#states.push({ state: new Map(this.#state), matrix: this.#matrix });
    this.#lines.push("q");
  }

  #restore(): void {
    const saved = this.#states.pop();
    if (saved === undefined) {
      throw new Error("More graphics states were restored than saved.");
    }
    this.#state = saved.state;
    this.#matrix = saved.matrix;
    this.#lines.push("Q");
  }

  #set(key: string, operator: string): void {
    if (this.#state.get(key) !== operator) {
      this.#state.set(key, operator);
      this.#lines.push(operator);
    }
  }

  #setOpacity(fill: number, stroke: number): void {
    const isOpaque = fill >= 1 && stroke >= 1;
    if (isOpaque && !this.#state.has("opacity")) {
      return;
    }
    this.#hasTransparency ||= !isOpaque;
    this.#set("opacity", `${this.scope.useState(`/ca ${factor(fill)}/CA ${factor(stroke)}`)} gs`);
  }

  #setColor({ rgb }: Pick<SolidPaint, "rgb">, use: "fill" | "stroke"): void {
    const isGray = rgb[0] === rgb[1] && rgb[1] === rgb[2];
    // Gray is one number, but only where the color space of gray is that of colors.
    const values =
      isGray && this.#document.profile === undefined
        ? [factor(rgb[0] / 255), use === "fill" ? "g" : "G"]
        : [...rgb.map((one) => factor(one / 255)), use === "fill" ? "rg" : "RG"];
    this.#set(use, values.join(" "));
  }

  /** Draws with a paint set. A gradient is a pattern; different opacities of its stops are a mask. */
  #painted(
    paint: SolidPaint | GradientPaint,
    opacity: number,
    use: "fill" | "stroke",
    draw: () => void,
  ): void {
    const solid = paint.kind === "color" ? { rgb: paint.rgb, opacity: 1 } : solidEnd(paint);
    if (solid !== undefined) {
      const whole = opacity * solid.opacity;
      if (whole <= 0) {
        return;
      }
      this.#setColor(solid, use);
      this.#setOpacity(use === "fill" ? whole : 1, use === "stroke" ? whole : 1);
      return draw();
    }
    if (paint.kind === "gradient") {
      this.#save();
      this.#setGradientOpacity(paint, opacity);
      const shading = this.#document.shading(paint, "color");
      const matrix = matrixText(multiply(this.#matrix, paint.transform));
      const text = `<</Type/Pattern/PatternType 2/Shading ${shading.ref} 0 R/Matrix[${matrix}]>>`;
      const pattern = this.#document.share(text, "P", () => ({
        ref: this.#document.objects.add(text),
      }));
      const name = this.scope.use("Pattern", pattern.name, pattern.ref);
      this.#lines.push(use === "fill" ? `/Pattern cs ${name} scn` : `/Pattern CS ${name} SCN`);
      this.#state.delete(use);
      draw();
      this.#restore();
    }
  }

  #setGradientOpacity(gradient: GradientPaint, opacity: number): void {
    const even = evenOpacity(gradient);
    const whole = opacity * (even ?? 1);
    this.#setOpacity(whole, whole);
    if (even === undefined) {
      const mask = this.#maskForm((inner) => {
        inner.transform(gradient.transform);
        const shading = this.#document.shading(gradient, "opacity");
        inner.#lines.push(`${inner.scope.use("Shading", shading.name, shading.ref)} sh`);
      });
      this.#setMask(mask);
    }
  }

  #drawPath(item: DisplayPath): void {
    const path = pathText(item.path);
    if (path === "") {
      return;
    }
    const { fill, fillRule, isStrokeFirst } = item;
    const stroke = item.stroke !== null && item.stroke.width > 0 ? item.stroke : null;
    if (
      fill?.paint.kind === "color" &&
      stroke?.paint.kind === "color" &&
      fill.opacity >= 1 &&
      stroke.opacity >= 1 &&
      !isStrokeFirst
    ) {
      this.#setStroke(stroke);
      this.#setColor(fill.paint, "fill");
      this.#setColor(stroke.paint, "stroke");
      this.#setOpacity(1, 1);
      this.#lines.push(path, fillRule === "even_odd" ? "B*" : "B");
      return;
    }
    const drawStroke = (): void => {
      if (stroke !== null) {
        this.#painted(stroke.paint, stroke.opacity, "stroke", () => {
          this.#setStroke(stroke);
          this.#lines.push(path, "S");
        });
      }
    };
    if (isStrokeFirst) {
      drawStroke();
    }
    if (fill?.paint.kind === "gradient" && solidEnd(fill.paint) === undefined) {
      this.#fillGradient(path, fillRule, fill.paint, fill.opacity);
    } else if (fill !== null) {
      this.#painted(fill.paint, fill.opacity, "fill", () =>
        this.#lines.push(path, fillRule === "even_odd" ? "f*" : "f"),
      );
    }
    if (!isStrokeFirst) {
      drawStroke();
    }
  }

  /** A gradient inside of a clip needs no pattern, and so no matrix that viewers read in different ways. */
  #fillGradient(path: string, rule: FillRule, gradient: GradientPaint, opacity: number): void {
    if (opacity <= 0) {
      return;
    }
    this.#save();
    this.#lines.push(path, `${rule === "even_odd" ? "W*" : "W"} n`);
    this.#setGradientOpacity(gradient, opacity);
    this.transform(gradient.transform);
    const shading = this.#document.shading(gradient, "color");
    this.#lines.push(`${this.scope.use("Shading", shading.name, shading.ref)} sh`);
    this.#restore();
  }

  #setStroke(stroke: Stroke): void {
    for (const [key, operator] of strokeSettings(stroke)) {
      this.#set(key, operator);
    }
  }

  #drawGroup(group: DisplayGroup): void {
    const { transform, opacity, clip, mask, items } = group;
    if (opacity <= 0 || items.length === 0 || invert(transform) === undefined) {
      return;
    }
    if (clip !== null && clip.shapes.length > 1) {
      // Shapes that overlap cannot be one path; their union is a mask.
      const shapes = clip.shapes.map((shape) => ({ ...shape, value: 1 }));
      const inner: DisplayGroup = { ...group, transform: IDENTITY, clip: null };
      return this.#drawComposed({ transform, opacity: 1, items: [inner] }, (form) =>
        form.#drawValues(shapes),
      );
    }
    const isPlain = opacity >= 1 && mask === null;
    if (isPlain && clip === null && isIdentity(transform)) {
      return this.draw(items);
    }
    const [shape] = clip?.shapes ?? [];
    const clipping =
      clip === null
        ? []
        : shape === undefined
          ? ["0 0 0 0 re W n"]
          : [clipPath(shape.path), `${shape.fillRule === "even_odd" ? "W*" : "W"} n`];
    if (isPlain) {
      this.#save();
      this.transform(transform);
      this.#lines.push(...clipping);
      this.draw(items);
      return this.#restore();
    }
    return this.#drawComposed(
      { transform, opacity, items, clipping },
      mask === null ? undefined : (form) => form.#drawMask(mask),
    );
  }

  /** Items that are composed as a group of their own first. */
  #drawComposed(
    group: {
      readonly transform: Matrix;
      readonly opacity: number;
      readonly items: readonly DisplayItem[];
      readonly clipping?: readonly string[];
    },
    drawMask: ((inner: ContentWriter) => void) | undefined,
  ): void {
    this.#save();
    this.transform(group.transform);
    this.#lines.push(...(group.clipping ?? []));
    this.#setOpacity(group.opacity, group.opacity);
    if (drawMask !== undefined) {
      this.#setMask(this.#maskForm(drawMask));
    }
    const space = this.#document.groupColorSpace;
    const form = this.#form(space, (inner) => inner.draw(group.items));
    const name = this.scope.use("XObject", this.#document.nextFormName(), form);
    this.#lines.push(`${name} Do`);
    this.#hasTransparency = true;
    this.#restore();
  }

  #drawMask({ box, shapes }: DisplayMask): void {
    this.#lines.push(boxText(box), "W n");
    this.#drawValues(shapes);
  }

  #drawValues(shapes: DisplayMask["shapes"]): void {
    const isGray = this.#document.maskColorSpace === "/DeviceGray";
    for (const { path, fillRule, value } of shapes) {
      const text = pathText(path);
      if (text !== "") {
        const one = factor(value);
        this.#set("fill", isGray ? `${one} g` : `${one} ${one} ${one} rg`);
        this.#lines.push(text, fillRule === "even_odd" ? "f*" : "f");
      }
    }
  }

  #setMask(form: number): void {
    this.#hasTransparency = true;
    this.#lines.push(`${this.scope.useState(`/SMask<</S/Luminosity/G ${form} 0 R>>`)} gs`);
  }

  #maskForm(draw: (inner: ContentWriter) => void): number {
    return this.#form(this.#document.maskColorSpace, draw);
  }

  /** A group in the current coordinates, as large as what can be seen there. */
  #form(colorSpace: string, draw: (inner: ContentWriter) => void): number {
    const inverse = invert(this.#matrix);
    const visible = inverse === undefined ? this.#visible : mapBounds(inverse, this.#visible);
    const group = `/Group<</S/Transparency/CS${colorSpace}/I true>>`;
    return writeForm(this.#document, visible, group, draw).ref;
  }

  #drawPicture({ picture: key, matrix }: DisplayPicture): void {
    const { name, ref, orientation } = this.#document.picture(key);
    this.#setOpacity(1, 1);
    this.#save();
    this.transform(multiply(multiply(matrix, storedToShown(orientation)), FLIP_UNIT));
    this.#lines.push(`${this.scope.use("XObject", name, ref)} Do`);
    this.#restore();
  }

  #drawArtwork({ artwork: key, matrix, replacements }: DisplayArtwork): void {
    const { width, height, items } = this.#document.artwork(key);
    if (width <= 0 || height <= 0) {
      return;
    }
    const colors = Object.entries(replacements).toSorted(([a], [b]) => (a < b ? -1 : 1));
    const form = this.#document.share(`artwork ${key} ${JSON.stringify(colors)}`, "A", () =>
      writeForm(this.#document, [0, 0, width, height], "", (inner) =>
        inner.draw(recolorItems(items, new Map(colors))),
      ),
    );
    this.#hasTransparency ||= form.hasTransparency ?? false;
    this.#setOpacity(1, 1);
    this.#save();
    this.transform(multiply(matrix, [1 / width, 0, 0, 1 / height, 0, 0]));
    this.#lines.push(`${this.scope.use("XObject", form.name, form.ref)} Do`);
    this.#restore();
  }
}

/** A path of a clip; without a segment nothing shows. */
function clipPath(path: Path): string {
  const text = pathText(path);
  return text === "" ? "0 0 0 0 re" : text;
}

function writeForm(
  document: PdfDocument,
  bounds: Bounds,
  group: string,
  draw: (inner: ContentWriter) => void,
): SharedObject {
  const inner = new ContentWriter(document, bounds, "form");
  draw(inner);
  const ref = document.objects.addDeflated(
    `/Type/XObject/Subtype/Form/BBox${boundsText(bounds)}${group}/Resources${inner.scope.dictionary()}`,
    inner.text(),
  );
  return { ref, hasTransparency: inner.hasTransparency };
}
