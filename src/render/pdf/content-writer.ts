import type { PDFDict } from "pdf-lib";
import type {
  DisplayArtwork,
  DisplayGlyphs,
  DisplayGroup,
  DisplayItem,
  DisplayMask,
  DisplayPath,
  DisplayPicture,
  DrawnMask,
  FillRule,
  GradientPaint,
  Matrix,
  Path,
  SolidPaint,
} from "../../templates/display-list.ts";
import { ContentState } from "./content-state.ts";
import type { PdfDocument, SharedObject } from "./pdf-document.ts";
import { evenOpacity, solidEnd } from "./gradient.ts";
import { GlyphWriter } from "./glyph-writer.ts";
import { boxText, pathText } from "./path-operators.ts";
import { type Bounds, wholeBounds, factor, invert, isIdentity, multiply } from "./pdf-syntax.ts";
import { arrayOf, dictOf, matrixOf, refOf } from "./pdf-objects.ts";
import { recolorItems } from "./recolor.ts";
import type { ResourceScope } from "./resource-scope.ts";
import { storedToShown } from "./pictures/orientation-matrix.ts";

const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];
/** From the unit square with y down to that of PDF's images, with y up. */
const FLIP_UNIT: Matrix = [1, 0, 0, -1, 0, 1];

/** One content stream: items become operators. */
export class ContentWriter {
  readonly #document: PdfDocument;
  readonly #state: ContentState;

  /** A form begins with the graphics state of the place where it is used; a page with that of PDF. */
  constructor(document: PdfDocument, visible: Bounds, kind: "page" | "form") {
    this.#document = document;
    this.#state = new ContentState(document, visible, kind);
  }

  get scope(): ResourceScope {
    return this.#state.scope;
  }

  /** Whether anything was composed with what lies below. */
  get hasTransparency(): boolean {
    return this.#state.hasTransparency;
  }

  text(): string {
    return this.#state.text();
  }

  transform(matrix: Matrix): void {
    this.#state.transform(matrix);
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
      case "glyphs":
        return this.#drawGlyphs(item);
      case "picture":
        return this.#drawPicture(item);
      case "artwork":
        return this.#drawArtwork(item);
    }
  }

  #drawGlyphs(item: DisplayGlyphs): void {
    const { fill, opacity, stroke, glyphs, size } = item;
    if (glyphs.length === 0 || size <= 0 || (opacity <= 0 && stroke === undefined)) {
      return;
    }
    const show = (): void => {
      const font = this.#document.font(item.face);
      const select = (reading: number): string => {
        const { name, ref } = font.font(reading);
        return `${this.scope.use("Font", name, ref)} ${factor(size)} Tf`;
      };
      const lines = new GlyphWriter(item, font, select).lines();
      this.#state.set("font", select(0));
      this.#state.add(...lines);
    };
    if (stroke === undefined) {
      return this.#painted(fill, opacity, "fill", show);
    }
    // One operator fills and strokes, so that the text is there once.
    this.#state.save();
    const isFilled = opacity > 0 && fill.kind === "color";
    if (isFilled) {
      this.#state.setColor(fill, "fill");
    }
    if (stroke.paint.kind === "color") {
      this.#state.setColor(stroke.paint, "stroke");
    }
    this.#state.setStroke(stroke);
    this.#state.setOpacity(isFilled ? opacity : 1, stroke.opacity);
    this.#state.add(isFilled ? "2 Tr" : "1 Tr");
    show();
    this.#state.restore();
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
      this.#state.setColor(solid, use);
      this.#state.setOpacity(use === "fill" ? whole : 1, use === "stroke" ? whole : 1);
      return draw();
    }
    if (paint.kind === "gradient") {
      this.#state.save();
      this.#setGradientOpacity(paint, opacity);
      const shading = this.#document.shading(paint, "color");
      const pattern = this.#document.shareObject(
        "P",
        dictOf({
          Type: "Pattern",
          PatternType: 2,
          Shading: refOf(shading.ref),
          Matrix: matrixOf(multiply(this.#state.matrix, paint.transform)),
        }),
      );
      const name = this.scope.use("Pattern", pattern.name, pattern.ref);
      this.#state.add(use === "fill" ? `/Pattern cs ${name} scn` : `/Pattern CS ${name} SCN`);
      this.#state.forget(use);
      draw();
      this.#state.restore();
    }
  }

  #setGradientOpacity(gradient: GradientPaint, opacity: number): void {
    const even = evenOpacity(gradient);
    const whole = opacity * (even ?? 1);
    this.#state.setOpacity(whole, whole);
    if (even === undefined) {
      const mask = this.#maskForm((inner) => {
        inner.transform(gradient.transform);
        const shading = this.#document.shading(gradient, "opacity");
        inner.#state.add(`${inner.scope.use("Shading", shading.name, shading.ref)} sh`);
      });
      this.#state.setMask(mask);
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
      this.#state.setStroke(stroke);
      this.#state.setColor(fill.paint, "fill");
      this.#state.setColor(stroke.paint, "stroke");
      this.#state.setOpacity(1, 1);
      this.#state.add(path, fillRule === "even_odd" ? "B*" : "B");
      return;
    }
    const drawStroke = (): void => {
      if (stroke !== null) {
        this.#painted(stroke.paint, stroke.opacity, "stroke", () => {
          this.#state.setStroke(stroke);
          this.#state.add(path, "S");
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
        this.#state.add(path, fillRule === "even_odd" ? "f*" : "f"),
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
    this.#state.save();
    this.#state.add(path, `${rule === "even_odd" ? "W*" : "W"} n`);
    this.#setGradientOpacity(gradient, opacity);
    this.transform(gradient.transform);
    const shading = this.#document.shading(gradient, "color");
    this.#state.add(`${this.scope.use("Shading", shading.name, shading.ref)} sh`);
    this.#state.restore();
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
      this.#state.save();
      this.transform(transform);
      this.#state.add(...clipping);
      this.draw(items);
      return this.#state.restore();
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
    this.#state.save();
    this.transform(group.transform);
    this.#state.add(...(group.clipping ?? []));
    this.#state.setOpacity(group.opacity, group.opacity);
    if (drawMask !== undefined) {
      this.#state.setMask(this.#maskForm(drawMask));
    }
    const space = this.#document.groupColorSpace;
    const form = this.#form(space, (inner) => inner.draw(group.items));
    const name = this.scope.use("XObject", this.#document.nextFormName(), form);
    this.#state.add(`${name} Do`);
    this.#state.hasTransparency = true;
    this.#state.restore();
  }

  #drawMask(mask: DisplayMask | DrawnMask): void {
    this.#state.add(boxText(mask.box), "W n");
    if ("items" in mask) {
      this.draw(mask.items);
    } else {
      this.#drawValues(mask.shapes);
    }
  }

  #drawValues(shapes: DisplayMask["shapes"]): void {
    const isGray = this.#document.maskColorSpace === "DeviceGray";
    for (const { path, fillRule, value } of shapes) {
      const text = pathText(path);
      if (text !== "") {
        const one = factor(value);
        this.#state.set("fill", isGray ? `${one} g` : `${one} ${one} ${one} rg`);
        this.#state.add(text, fillRule === "even_odd" ? "f*" : "f");
      }
    }
  }

  #maskForm(draw: (inner: ContentWriter) => void): number {
    return this.#form(this.#document.maskColorSpace, draw);
  }

  /** A group in the current coordinates, as large as what can be seen there. */
  #form(colorSpace: string, draw: (inner: ContentWriter) => void): number {
    return writeForm(this.#document, this.#state.visible, transparencyGroup(colorSpace), draw).ref;
  }

  #drawPicture({ picture: key, matrix }: DisplayPicture): void {
    const { name, ref, orientation } = this.#document.picture(key);
    this.#state.setOpacity(1, 1);
    this.#state.save();
    this.transform(multiply(multiply(matrix, storedToShown(orientation)), FLIP_UNIT));
    this.#state.add(`${this.scope.use("XObject", name, ref)} Do`);
    this.#state.restore();
  }

  #drawArtwork({ artwork: key, matrix, replacements }: DisplayArtwork): void {
    const { width, height, items } = this.#document.artwork(key);
    if (width <= 0 || height <= 0) {
      return;
    }
    const colors = Object.entries(replacements).toSorted(([a], [b]) => (a < b ? -1 : 1));
    const form = this.#document.share(`artwork ${key} ${JSON.stringify(colors)}`, "A", () =>
      writeForm(this.#document, [0, 0, width, height], undefined, (inner) =>
        inner.draw(recolorItems(items, new Map(colors))),
      ),
    );
    this.#state.hasTransparency ||= form.hasTransparency ?? false;
    this.#state.setOpacity(1, 1);
    this.#state.save();
    this.transform(multiply(matrix, [1 / width, 0, 0, 1 / height, 0, 0]));
    this.#state.add(`${this.scope.use("XObject", form.name, form.ref)} Do`);
    this.#state.restore();
  }
}

/** A path of a clip; without a segment nothing shows. */
function clipPath(path: Path): string {
  const text = pathText(path);
  return text === "" ? "0 0 0 0 re" : text;
}

/** Of a page or form whose content is composed by itself. */
export function transparencyGroup(colorSpace: string): PDFDict {
  return dictOf({ S: "Transparency", CS: colorSpace, I: true });
}

function writeForm(
  document: PdfDocument,
  bounds: Bounds,
  group: PDFDict | undefined,
  draw: (inner: ContentWriter) => void,
): SharedObject {
  const inner = new ContentWriter(document, bounds, "form");
  draw(inner);
  const ref = document.objects.addDeflated(
    {
      Type: "XObject",
      Subtype: "Form",
      BBox: arrayOf(wholeBounds(bounds)),
      Group: group,
      Resources: inner.scope.dictionary(),
    },
    inner.text(),
  );
  return { ref, hasTransparency: inner.hasTransparency };
}
