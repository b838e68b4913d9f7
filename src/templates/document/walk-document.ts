import { isJsonObject, type JsonValue } from "../../lib/json/exact-json.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { checkCondition } from "./check-condition.ts";
import { checkOverrides, overridesOf, type Override } from "./component-overrides.ts";
import { checkElement } from "./element-rules.ts";
import { elementsOf, ElementView } from "./element-view.ts";
import { addField } from "./field-occurrence.ts";
import { type FieldScope, FieldTree } from "./field-tree.ts";
import { linksOf } from "./links-of.ts";
import { within, type Place } from "./place.ts";
import type { ProblemList } from "./problem-list.ts";
import type { References } from "./references.ts";

/** What the elements of one list stand in. */
interface Surroundings {
  readonly kind: "page" | "master" | "component";
  /** Of the page, master or component: counted in. */
  readonly tally: Tally;
  readonly scope: FieldScope;
  readonly groups: number;
  readonly layouts: number;
  readonly repeats: number;
  /** Directly on the page, or in folders there. */
  readonly isTopLevel: boolean;
  /** Ids of the components that are being expanded, in lower case, outermost first. */
  readonly components: readonly string[];
  readonly overrides: ReadonlyMap<string, Override>;
  /** In a header that an instance overrides: no walk of a component meets these elements. */
  readonly isInOverride: boolean;
  /** On a master: the outermost instance, at which problems of its component are reported. */
  readonly instance: Place | null;
}

interface Tally {
  readonly place: Place | null;
  readonly limit: number;
  readonly what: string;
  count: number;
  continued: number;
}

interface Reading {
  readonly element: ElementView;
  readonly scope: FieldScope;
}

const NO_OVERRIDES: ReadonlyMap<string, Override> = new Map();

/**
 * Walks the elements of a document as they print, components expanded at each instance: collects its fields, and
 * checks every rule that concerns more than one element. Values of a wrong type are passed over: their schema has
 * reported them. The walk ends at the limits of elements, so that its time is bounded for any document.
 */
export class DocumentWalk {
  readonly tree = new FieldTree();
  readonly #references: References;
  readonly #problems: ProblemList;
  readonly #reading: Reading[] = [];
  #elements = 0;

  constructor(references: References, problems: ProblemList) {
    this.#references = references;
    this.#problems = problems;
  }

  walkPage(elements: JsonValue | undefined, place: Place): void {
    this.#walkRoot("page", elements, place, LIMITS.template_page_elements.value, "A page");
  }

  walkMaster(elements: JsonValue | undefined, place: Place): void {
    this.#walkRoot("master", elements, place, LIMITS.template_page_elements.value, "A master page");
  }

  /** By itself: whether it is used or not, its limits hold. Its fields are those of its instances. */
  walkComponent(id: string, elements: JsonValue | undefined, place: Place): void {
    const limit = LIMITS.template_component_elements.value;
    this.#walkRoot("component", elements, place, limit, "A component", [id]);
  }

  /** After all pages: what conditions and links read is known only then. */
  checkReadings(): void {
    for (const { element, scope } of this.#reading) {
      const find = (code: string) => ({
        isKnown: this.tree.find(code, scope) !== undefined,
        isListKey: this.tree.isListKey(code),
      });
      const condition = element.get("condition");
      if (condition !== undefined) {
        checkCondition(condition, element.placeOf("condition"), find, this.#problems);
      }
      for (const { link, place } of linksOf(element)) {
        this.#checkFieldLink(link, place, find);
      }
    }
  }

  #walkRoot(
    kind: Surroundings["kind"],
    elements: JsonValue | undefined,
    place: Place,
    limit: number,
    what: string,
    components: readonly string[] = [],
  ): void {
    this.#walk(
      elements,
      { parent: place, key: "elements" },
      {
        kind,
        tally: { place, limit, what, count: 0, continued: 0 },
        scope: this.tree.root,
        groups: 0,
        layouts: 0,
        repeats: 0,
        isTopLevel: true,
        components,
        overrides: NO_OVERRIDES,
        isInOverride: false,
        instance: null,
      },
    );
  }

  #walk(list: JsonValue | undefined, place: Place, around: Surroundings): void {
    for (const { raw, place: at } of elementsOf(list, place)) {
      const id = raw["id"];
      const override = typeof id === "string" ? around.overrides.get(id.toLowerCase()) : undefined;
      if (!this.#count(around, at)) {
        return;
      }
      this.#visit(new ElementView(raw, at, override), around);
    }
  }

  /** False at a limit: the walk of this page, master or component ends. */
  #count({ kind, tally }: Surroundings, place: Place): boolean {
    tally.count += 1;
    if (tally.count > tally.limit) {
      this.#problems.add(
        "limit_exceeded",
        { parent: tally.place, key: "elements" },
        `${tally.what} has at most ${tally.limit} elements, nested ones and those of component instances included. Divide it, or join shapes into one artwork.`,
      );
      return false;
    }
    if (kind !== "component") {
      this.#elements += 1;
      const limit = LIMITS.template_elements.value;
      if (this.#elements > limit) {
        if (this.#elements === limit + 1) {
          this.#problems.add(
            "limit_exceeded",
            place,
            `A document has at most ${limit} elements, nested ones and those of component instances included, and this one is beyond. Remove elements.`,
          );
        }
        return false;
      }
    }
    return !this.#problems.isFull;
  }

  #visit(element: ElementView, around: Surroundings): void {
    const isOwn = around.components.length === 0 || around.isInOverride || element.isOverridden;
    if (isOwn || around.kind === "component") {
      checkElement(element, this.#problems);
    }
    this.#references.checkStyle(element, this.#problems);
    this.#references.checkPageLinks(element, this.#problems);
    this.#checkScope(element, around);
    const isStatic = around.kind === "master" && this.#refuseOnMaster(element, around);
    const isReading = element.get("condition") !== undefined || hasLinks(element);
    if (around.kind === "page" && isReading) {
      this.#reading.push({ element, scope: around.scope });
    } else if (around.kind === "component" && element.get("condition") !== undefined) {
      checkCondition(element.get("condition"), element.placeOf("condition"), null, this.#problems);
    }
    const field =
      isStatic || around.kind === "master"
        ? undefined
        : addField(
            element,
            around.kind === "page" ? this.tree : null,
            around.scope,
            this.#problems,
          );
    this.#descend(element, around, field);
  }

  #descend(element: ElementView, around: Surroundings, field: ReturnType<typeof addField>): void {
    const inside = { ...around, isTopLevel: false };
    switch (element.type) {
      case "group":
        this.#children(element, { ...inside, groups: around.groups + 1 });
        break;
      case "folder":
        // Counted with the groups, so that nesting has a bound; its children keep their place.
        this.#children(element, {
          ...inside,
          groups: around.groups + 1,
          isTopLevel: around.isTopLevel,
        });
        break;
      case "layout_region":
        this.#children(element, { ...inside, layouts: around.layouts + 1 });
        break;
      case "repeat_region": {
        this.#checkContinuation(element, around);
        const next = { ...inside, repeats: around.repeats + 1 };
        if (this.#isTooDeep(element, next)) {
          break;
        }
        this.#walk(element.get("header"), element.placeOf("header"), {
          ...inside,
          repeats: next.repeats,
          isInOverride: around.isInOverride || element.overrides("header"),
        });
        const scope =
          field === undefined || field.type !== "list"
            ? around.scope
            : this.tree.scopeOf(field, around.scope);
        this.#children(element, { ...next, scope });
        break;
      }
      case "component_instance":
        this.#expand(element, inside);
        break;
      default:
    }
  }

  #children(element: ElementView, inside: Surroundings): void {
    if (!this.#isTooDeep(element, inside)) {
      this.#walk(element.get("children"), { parent: element.place, key: "children" }, inside);
    }
  }

  #isTooDeep(element: ElementView, inside: Surroundings): boolean {
    for (const [depth, limit, what] of [
      [inside.groups, LIMITS.template_groups.value, "Groups, folders and component instances"],
      [inside.layouts, LIMITS.template_layouts.value, "Layout regions"],
      [inside.repeats, LIMITS.template_repeats.value, "Repeated lists"],
    ] as const) {
      if (depth > limit) {
        this.#problems.add(
          "limit_exceeded",
          inside.instance ?? element.place,
          `${what} nest at most ${limit} deep, and this one is at level ${depth}. Move it outwards.`,
        );
        return true;
      }
    }
    return false;
  }

  #expand(element: ElementView, inside: Surroundings): void {
    const id = element.id("componentId");
    const component = id === undefined ? undefined : this.#references.component(id);
    if (id === undefined || component === undefined) {
      this.#references.checkComponent(element, this.#problems);
      return;
    }
    if (inside.components.includes(id)) {
      this.#problems.add(
        "component_cycle",
        element.placeOf("componentId"),
        "The component holds an instance of itself, directly or through others. Remove this instance.",
      );
      return;
    }
    checkOverrides(element, component, this.#problems);
    const next: Surroundings = {
      ...inside,
      groups: inside.groups + 1,
      components: [...inside.components, id],
      overrides: overridesOf(element),
      isInOverride: false,
      instance: inside.instance ?? (inside.kind === "master" ? element.place : null),
    };
    if (!this.#isTooDeep(element, next)) {
      this.#walk(component.elements, component.place, next);
    }
  }

  #checkScope(element: ElementView, around: Surroundings): void {
    const { kind, isTopLevel, components, isInOverride } = around;
    const mayHaveScope =
      kind === "component" ? components.length > 1 : kind === "page" && isTopLevel;
    const isRefused = isInOverride || (!mayHaveScope && components.length <= 1);
    if (isRefused && element.get("pageScope") !== undefined) {
      this.#problems.add(
        "unknown_property",
        element.placeOf("pageScope"),
        "Only elements on the top level of a page have a pageScope. Remove it.",
      );
    }
  }

  #checkContinuation(element: ElementView, { tally, isTopLevel, kind }: Surroundings): void {
    if (element.get("overflowMode") !== "continue" || kind !== "page") {
      return;
    }
    tally.continued += 1;
    if (!isTopLevel || tally.continued > 1) {
      this.#problems.add(
        "limit_exceeded",
        element.placeOf("overflowMode"),
        "A page has at most one list that continues on further pages, on its top level. Use clip or grow here.",
      );
    }
  }

  /** True if the element makes its master depend on values. */
  #refuseOnMaster(element: ElementView, { instance }: Surroundings): boolean {
    const link = element.get("link");
    for (const [isThere, place, what] of [
      [element.get("placeholder") !== undefined, "placeholder", "fields"],
      [element.get("condition") !== undefined, "condition", "conditions"],
      [element.type === "repeat_region", "$type", "repeated lists"],
      [isJsonObject(link) && link["type"] === "field", "link", "links that read fields"],
    ] as const) {
      if (isThere) {
        this.#problems.add(
          "master_not_static",
          instance === null ? element.placeOf(place) : within(instance, "componentId"),
          `A master page has no ${what}, nor components with them. Put it on the pages themselves.`,
        );
        return true;
      }
    }
    return false;
  }

  #checkFieldLink(
    link: { readonly [key: string]: JsonValue },
    place: Place,
    find: (code: string) => { readonly isKnown: boolean; readonly isListKey: boolean },
  ): void {
    const code = link["field"];
    if (link["type"] !== "field" || typeof code !== "string") {
      return;
    }
    const { isKnown, isListKey } = find(code);
    if (!isKnown) {
      this.#problems.add(
        isListKey ? "list_key_outside_list" : "DESIGN_LINK_INVALID",
        { parent: place, key: "field" },
        isListKey
          ? "Is a key of a list's items, and this element is outside of that list. Move it into the list, or use a field of the template."
          : "The document has no field with this code. Add the field, or correct the code.",
      );
    }
  }
}

function hasLinks(element: ElementView): boolean {
  return element.get("link") !== undefined || element.get("richText") !== undefined;
}
