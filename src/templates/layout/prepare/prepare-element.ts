import { ELEMENT_SCHEMAS, type DesignElement } from "../../document/elements.ts";
import type { DesignComponent, DesignStyle } from "../../document/design-document.ts";
import type { ComponentOverride } from "../../document/elements.ts";
import type { FieldTable } from "../fields/field-table.ts";
import { prepareImage } from "./prepare-image.ts";
import { prepareShape } from "./prepare-shape.ts";
import { prepareText } from "./prepare-text.ts";
import type { PreparedBase, PreparedElement } from "./prepared.ts";

/** An element as it is stored, before its defaults. */
export type StoredElement = Readonly<Record<string, unknown>>;

/** What elements refer to. Ids are in lower case. */
export interface References {
  readonly styles: ReadonlyMap<string, DesignStyle["properties"] & { readonly kind?: never }>;
  readonly styleKinds: ReadonlyMap<string, DesignStyle["kind"]>;
  readonly components: ReadonlyMap<string, StoredComponent>;
}

export type StoredComponent = Omit<DesignComponent, "elements"> & {
  readonly elements: readonly StoredElement[];
};

type Overrides = ReadonlyMap<string, ComponentOverride["properties"]>;
const NO_OVERRIDES: Overrides = new Map();

const KINDS_OF_STYLES: Readonly<Record<string, DesignStyle["kind"]>> = {
  text: "text",
  rectangle: "paint",
  circle: "paint",
  ellipse: "paint",
  line: "paint",
  path: "paint",
};

/** Instances in instances that are followed; a valid document has no cycle and stays below. */
const COMPONENT_DEPTH_MAX = 200;

/** Turns stored elements into prepared ones: overrides, styles and defaults in place, folders dissolved. */
export class ElementPreparer {
  readonly #references: References;
  /** Where the fields of the elements at hand belong: to the document, or to the items of a list. */
  #fields: FieldTable;
  #depth = 0;

  /** Adds every field that it meets to the table, fields of hidden elements too. */
  constructor(references: References, fields: FieldTable) {
    this.#references = references;
    this.#fields = fields;
  }

  prepareAll(
    elements: readonly StoredElement[],
    overrides: Overrides = NO_OVERRIDES,
  ): PreparedElement[] {
    return elements.flatMap((stored) => this.#prepare(stored, overrides));
  }

  /** No element for what can never print; several for a folder. */
  #prepare(stored: StoredElement, overrides: Overrides): readonly PreparedElement[] {
    const { element, children, header } = this.#withDefaults(stored, overrides);
    const { placeholder, visible } = element;
    const items = placeholder === undefined ? undefined : this.#fields.add(placeholder);
    const outer = this.#fields;
    if (element.$type === "repeat_region" && items !== undefined) {
      this.#fields = items;
    }
    const inside = this.prepareAll(children, overrides);
    this.#fields = outer;
    const top = this.prepareAll(header, overrides);
    const prepared = element.$type === "folder" ? inside : this.#make(element, inside, top);
    return visible || placeholder?.placeholderType === "boolean" ? prepared : [];
  }

  #make(
    element: Exclude<DesignElement, { readonly $type: "folder" }>,
    children: readonly PreparedElement[],
    header: readonly PreparedElement[],
  ): readonly PreparedElement[] {
    const base = baseOf(element);
    const numbers = { usesPageNumbers: children.some(usesNumbers) };
    switch (element.$type) {
      case "text":
        return [prepareText(element, base)];
      case "image":
        return [prepareImage(element, base)];
      case "svg_artwork": {
        const { svg, replacements } = element;
        return [{ ...base, kind: "artwork", svg, replacements: lowerCase(replacements) }];
      }
      case "group":
        return [{ ...base, ...numbers, kind: "group", children, inner: null }];
      case "layout_region": {
        const { direction, gap, padding, columns, alignItems, justifyContent, fitHeight } = element;
        const rowGap = element.rowGap ?? gap;
        const flow = { direction, gap, rowGap, padding, columns };
        const align = { alignItems, justifyContent, fitHeight };
        return [{ ...base, ...numbers, kind: "layout", children, ...flow, ...align }];
      }
      case "repeat_region":
        return [repeat(element, base, children, header)];
      case "component_instance":
        return [this.#instance(element, base)];
      default:
        return [prepareShape(element, base)];
    }
  }

  #instance(
    { componentId, overrides }: DesignElement & { readonly $type: "component_instance" },
    base: PreparedBase,
  ): PreparedElement {
    const component = this.#references.components.get(componentId.toLowerCase());
    if (component === undefined || this.#depth >= COMPONENT_DEPTH_MAX) {
      return { ...base, kind: "group", children: [], inner: null };
    }
    this.#depth += 1;
    const { width, height, elements } = component;
    const byId = new Map(
      overrides.map(({ elementId, properties }) => [elementId.toLowerCase(), properties]),
    );
    const children = this.prepareAll(elements, byId);
    this.#depth -= 1;
    return {
      ...base,
      usesPageNumbers: children.some(usesNumbers),
      kind: "group",
      children,
      inner: { width, height },
    };
  }

  /** The element without its children, which are prepared one by one. */
  #withDefaults(
    stored: StoredElement,
    overrides: Overrides,
  ): {
    readonly element: DesignElement;
    readonly children: readonly StoredElement[];
    readonly header: readonly StoredElement[];
  } {
    const own = overrides.get(String(stored["id"]).toLowerCase());
    const {
      $type,
      children = [],
      header = [],
      ...properties
    } = own === undefined
      ? stored
      : { ...stored, ...own, $type: stored["$type"], id: stored["id"] };
    const type = $type as keyof typeof ELEMENT_SCHEMAS;
    const { styleId } = properties;
    const styleKey = typeof styleId === "string" ? styleId.toLowerCase() : "";
    const style =
      this.#references.styleKinds.get(styleKey) === KINDS_OF_STYLES[type]
        ? this.#references.styles.get(styleKey)
        : undefined;
    const holds = {
      ...(type in HOLDERS ? { children: [] } : {}),
      ...(type === "repeat_region" ? { header: [] } : {}),
    };
    const schema = ELEMENT_SCHEMAS[type];
    return {
      element: schema.parse({ $type, ...style, ...properties, ...holds }),
      children: children as readonly StoredElement[],
      header: header as readonly StoredElement[],
    };
  }
}

const HOLDERS = { group: true, folder: true, layout_region: true, repeat_region: true };

function baseOf(element: DesignElement): PreparedBase {
  return {
    id: element.id,
    left: element.left,
    top: element.top,
    width: element.width ?? 0,
    height: element.height ?? 0,
    angle: element.angle,
    flipX: element.flipX,
    flipY: element.flipY,
    opacity: element.opacity,
    visible: element.visible,
    field: element.placeholder,
    condition: element.condition,
    link: element.link,
    pageScope: element.pageScope,
    usesPageNumbers: false,
  };
}

function repeat(
  element: DesignElement & { readonly $type: "repeat_region" },
  base: PreparedBase,
  children: readonly PreparedElement[],
  header: readonly PreparedElement[],
): PreparedElement {
  const { placeholder, headerHeight, repeatHeader, itemHeight, fitItemHeight } = element;
  const { direction, columns, gap, maxItems, overflowMode } = element;
  return {
    ...base,
    usesPageNumbers: [...children, ...header].some(usesNumbers),
    kind: "repeat",
    field: placeholder,
    children,
    header,
    headerHeight,
    repeatHeader,
    itemHeight,
    itemWidth: element.itemWidth ?? element.width,
    fitItemHeight,
    direction,
    columns,
    gap,
    rowGap: element.rowGap ?? gap,
    maxItems,
    overflowMode,
  };
}

function usesNumbers({ usesPageNumbers }: PreparedElement): boolean {
  return usesPageNumbers;
}

function lowerCase(replacements: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(replacements).map(([from, to]) => [from.toLowerCase(), to.toLowerCase()]),
  );
}
