import type {
  DisplayItem,
  DisplayPage,
  GradientPaint,
  Matrix,
  Path,
  SolidPaint,
} from "../../../src/templates/display-list.ts";
import type { DesignDocumentInput } from "../../../src/templates/document/design-document.ts";
import { layOut, type LayoutOutcome } from "../../../src/templates/layout/lay-out.ts";
import type { PictureResource } from "../../../src/templates/layout/resources/layout-resources.ts";
import type { LayoutOptions, Values } from "../../../src/templates/layout/options.ts";
import { prepareDocument } from "../../../src/templates/layout/prepare/prepare-document.ts";
import { layOutPlainText, NO_FONTS } from "./fake-text.ts";

/** A GUID that ends with the number. */
export function guid(n: number): string {
  return `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
}

type Loose = Readonly<Record<string, unknown>>;

/** A document from its pages, each from its elements or with properties of its own; ids that are missing are made. */
export function documentOf(pages: readonly (readonly Loose[] | Loose)[], more: Loose = {}) {
  let next = 1000;
  const withIds = (value: unknown): unknown => {
    if (Array.isArray(value)) {
      return value.map(withIds);
    }
    if (typeof value !== "object" || value === null) {
      return value;
    }
    const copy = Object.fromEntries(Object.entries(value).map(([k, v]) => [k, withIds(v)]));
    const isOwner = "$type" in copy || "placeholderType" in copy || "elements" in copy;
    return isOwner && !("id" in copy) ? { id: guid((next += 1)), ...copy } : copy;
  };
  return withIds({
    schemaVersion: "2.0",
    pages: pages.map((page) => ({
      width: 200,
      height: 300,
      ...pageOf(page),
    })),
    ...more,
  }) as DesignDocumentInput;
}

function pageOf(page: readonly Loose[] | Loose): Loose {
  return isList(page) ? { elements: page } : Object.assign({ elements: [] }, page);
}

function isList(page: readonly Loose[] | Loose): page is readonly Loose[] {
  return Array.isArray(page);
}

/** A field of a type, with a code that is its name too. */
export function field(code: string, placeholderType: string, more: Loose = {}): Loose {
  return { name: code, code, placeholderType, ...more };
}

export interface RenderInput {
  readonly values?: Values;
  readonly options?: Partial<LayoutOptions>;
  readonly pictures?: Readonly<Record<string, PictureResource>>;
  readonly artworks?: Readonly<Record<string, PictureResource>>;
  readonly sliceCharacters?: number;
}

export const DEFAULT_OPTIONS: LayoutOptions = {
  missingPolicy: "fail_required",
  overflowPolicy: "template",
  maxRepeat: undefined,
  pageSelection: "all",
  hasLinks: true,
  valuesIgnored: [],
};

export function layoutInput(document: DesignDocumentInput, input: RenderInput = {}) {
  return {
    document: prepareDocument(document),
    values: input.values ?? {},
    options: { ...DEFAULT_OPTIONS, ...input.options },
    resources: {
      fonts: NO_FONTS,
      pictures: new Map(Object.entries(input.pictures ?? {})),
      artworks: new Map(Object.entries(input.artworks ?? {})),
    },
    layOutText: layOutPlainText,
    ...(input.sliceCharacters !== undefined && { sliceCharacters: input.sliceCharacters }),
  };
}

/** The layout, which must begin. */
export function render(
  document: DesignDocumentInput,
  input: RenderInput = {},
): LayoutOutcome & { readonly pages: readonly DisplayPage[] } {
  const result = layOut(layoutInput(document, input));
  if (!result.ok) {
    throw new Error(`The layout did not begin: ${JSON.stringify(result)}`);
  }
  const { displayList, facts, notes, problems } = result;
  return { pages: displayList.pages, facts, notes, problems };
}

/** A page's items as short lines, groups indented: `path M0,0 L10,0 Z fill #ff0000`. */
export function draw(page: DisplayPage | undefined): string[] {
  return page === undefined ? ["no page"] : page.items.flatMap((item) => lines(item, ""));
}

/** One element alone on a page. */
export function drawElement(element: Loose, input: RenderInput = {}, more: Loose = {}): string[] {
  return draw(render(documentOf([[element]], more), input).pages[0]);
}

function lines(item: DisplayItem, indent: string): string[] {
  switch (item.kind) {
    case "group": {
      const parts = [
        ...(isIdentity(item.transform) ? [] : [matrix(item.transform)]),
        ...(item.opacity === 1 ? [] : [`opacity ${number(item.opacity)}`]),
        ...(item.clip?.shapes.map((s) => `clip ${pathText(s.path)}${rule(s.fillRule)}`) ?? []),
        ...(item.mask === null
          ? []
          : [
              `mask ${[item.mask.box.x, item.mask.box.y, item.mask.box.width, item.mask.box.height].map(number).join(" ")}`,
              ...("shapes" in item.mask ? item.mask.shapes : []).map(
                (s) => `value ${number(s.value)} ${pathText(s.path)}${rule(s.fillRule)}`,
              ),
            ]),
      ];
      return [
        `${indent}group ${parts.join(" ")}`.trimEnd(),
        ...item.items.flatMap((inner) => lines(inner, `${indent}  `)),
      ];
    }
    case "glyphs": {
      const text = item.clusters.map((cluster) => cluster.text).join("");
      return [
        `${indent}text "${text}" ${number(item.size)} at ${number(item.x)},${number(item.y)} ${paint(item.fill, item.opacity)}`,
      ];
    }
    case "path": {
      const { stroke } = item;
      const parts = [
        `path ${pathText(item.path)}${rule(item.fillRule)}`,
        ...(item.fill === null ? [] : [`fill ${paint(item.fill.paint, item.fill.opacity)}`]),
        ...(stroke === null
          ? []
          : [
              `stroke ${number(stroke.width)} ${paint(stroke.paint, stroke.opacity)}`,
              ...(stroke.dashes.length === 0
                ? []
                : [`dashes ${stroke.dashes.map(number).join(",")}`]),
              ...(stroke.cap === "butt" ? [] : [stroke.cap]),
              ...(stroke.join === "miter" ? [] : [`join ${stroke.join}`]),
            ]),
        ...(item.isStrokeFirst ? ["stroke first"] : []),
      ];
      return [indent + parts.join(" ")];
    }
    case "picture":
      return [`${indent}picture ${item.picture} ${matrix(item.matrix)}`];
    case "artwork": {
      const changes = Object.entries(item.replacements).map(([from, to]) => ` ${from}>${to}`);
      return [`${indent}artwork ${item.artwork} ${matrix(item.matrix)}${changes.join("")}`];
    }
  }
}

function isIdentity(transform: Matrix): boolean {
  return transform.every((value, i) => value === (i === 0 || i === 3 ? 1 : 0));
}

function matrix(values: Matrix): string {
  return `[${values.map(number).join(" ")}]`;
}

function number(value: number): string {
  return String(Math.round(value * 1000) / 1000 + 0);
}

function rule(fillRule: string): string {
  return fillRule === "even_odd" ? " even_odd" : "";
}

function pathText({ segments }: Path): string {
  return segments.map(([name, ...numbers]) => `${name}${numbers.map(number).join(",")}`).join(" ");
}

function paint(value: SolidPaint | GradientPaint, opacity: number): string {
  const after = opacity === 1 ? "" : ` ${number(opacity)}`;
  if (value.kind === "color") {
    return hex(value.rgb) + after;
  }
  const { kind, ...shape } = value.shape;
  const stops = value.stops.map(
    (s) => `${number(s.offset)}${hex(s.rgb)}${s.opacity === 1 ? "" : `/${number(s.opacity)}`}`,
  );
  return `${kind} ${Object.values(shape).map(number).join(",")} ${matrix(value.transform)} ${stops.join(" ")}${after}`;
}

function hex(rgb: readonly number[]): string {
  return `#${rgb.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}
