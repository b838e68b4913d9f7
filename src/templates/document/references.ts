import { isJsonObject, type JsonValue } from "../../lib/json/exact-json.ts";
import { elementsOf, ElementView } from "./element-view.ts";
import type { ElementType } from "./elements.ts";
import type { Place } from "./place.ts";
import type { ProblemList } from "./problem-list.ts";
import { linksOf } from "./links-of.ts";

type Raw = { readonly [key: string]: JsonValue };

export interface ComponentEntry {
  readonly elements: JsonValue | undefined;
  readonly place: Place;
  /** Types of its elements, nested ones included, by id in lower case. */
  readonly types: ReadonlyMap<string, ElementType>;
}

const STYLE_KINDS: Readonly<Partial<Record<ElementType, string>>> = {
  text: "text",
  rectangle: "paint",
  circle: "paint",
  ellipse: "paint",
  line: "paint",
  path: "paint",
};

/** What elements and pages refer to, by id in lower case. */
export class References {
  readonly #pages: ReadonlySet<string>;
  readonly #masters: ReadonlyMap<string, Raw>;
  readonly #styles: ReadonlyMap<string, Raw>;
  readonly #components = new Map<string, { readonly raw: Raw; readonly place: Place }>();
  readonly #entries = new Map<string, ComponentEntry>();

  constructor(document: Raw) {
    this.#pages = new Set(byId(document["pages"]).keys());
    this.#masters = byId(document["masterPages"]);
    this.#styles = byId(document["styles"]);
    const components = { parent: null, key: "components" };
    for (const entry of elementsOf(document["components"], components)) {
      const { id } = entry.raw;
      if (typeof id === "string" && !this.#components.has(id.toLowerCase())) {
        this.#components.set(id.toLowerCase(), entry);
      }
    }
  }

  master(id: string): Raw | undefined {
    return this.#masters.get(id);
  }

  component(id: string): ComponentEntry | undefined {
    const known = this.#entries.get(id);
    const found = this.#components.get(id);
    if (known !== undefined || found === undefined) {
      return known;
    }
    const { elements } = found.raw;
    const place = { parent: found.place, key: "elements" };
    const entry = { elements, place, types: typesOf(elements, place) };
    this.#entries.set(id, entry);
    return entry;
  }

  checkComponent(element: ElementView, problems: ProblemList): void {
    if (element.id("componentId") !== undefined) {
      problems.add(
        "unknown_reference",
        element.placeOf("componentId"),
        "The document has no component with this id. Add the component, or correct the id.",
      );
    }
  }

  checkStyle(element: ElementView, problems: ProblemList): void {
    const id = element.id("styleId");
    if (id === undefined || element.type === undefined) {
      return;
    }
    const kind = STYLE_KINDS[element.type];
    if (kind === undefined || this.#styles.get(id)?.["kind"] !== kind) {
      problems.add(
        "unknown_reference",
        element.placeOf("styleId"),
        kind === undefined
          ? "Elements of this type have no style. Remove styleId."
          : `The document has no style of kind "${kind}" with this id. Add the style, or correct the id.`,
      );
    }
  }

  checkPageLinks(element: ElementView, problems: ProblemList): void {
    if (element.get("link") === undefined && element.get("richText") === undefined) {
      return;
    }
    for (const { link, place } of linksOf(element)) {
      const id = link["pageId"];
      if (link["type"] === "page" && typeof id === "string" && !this.#pages.has(id.toLowerCase())) {
        problems.add(
          "DESIGN_LINK_INVALID",
          { parent: place, key: "pageId" },
          "The document has no page with this id. Correct the id, or remove the link.",
        );
      }
    }
  }
}

function byId(list: JsonValue | undefined): Map<string, Raw> {
  const found = new Map<string, Raw>();
  if (Array.isArray(list)) {
    for (const raw of list as readonly JsonValue[]) {
      const id = isJsonObject(raw) ? raw["id"] : undefined;
      if (typeof id === "string" && !found.has(id.toLowerCase())) {
        found.set(id.toLowerCase(), raw as Raw);
      }
    }
  }
  return found;
}

/** Iterative, as the lists may nest deeper than is allowed. */
function typesOf(elements: JsonValue | undefined, place: Place): Map<string, ElementType> {
  const types = new Map<string, ElementType>();
  const left: (JsonValue | undefined)[] = [elements];
  for (let list = left.pop(); left.length > 0 || list !== undefined; list = left.pop()) {
    for (const { raw } of elementsOf(list, place)) {
      const { type } = new ElementView(raw, place);
      if (typeof raw["id"] === "string" && type !== undefined) {
        types.set(raw["id"].toLowerCase(), type);
      }
      left.push(...[raw["children"], raw["header"]].filter((held) => held !== undefined));
    }
  }
  return types;
}
