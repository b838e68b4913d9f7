import type * as z from "zod";
import { isJsonObject, type JsonValue } from "../../lib/json/exact-json.ts";
import { checkOf, unknownProperty } from "./check-shape.ts";
import { elementsOf, type ElementView } from "./element-view.ts";
import { ELEMENT_SCHEMAS } from "./elements.ts";
import { within, type Place } from "./place.ts";
import type { ProblemList } from "./problem-list.ts";
import type { ComponentEntry } from "./references.ts";

export interface Override {
  readonly properties: { readonly [key: string]: JsonValue };
  readonly place: Place;
}

/** What an element is, and its children, stay those of the component; `pageScope` is of a page's top level only. */
const FIXED: ReadonlySet<string> = new Set(["$type", "id", "children", "pageScope"]);

/** The overrides of an instance by the id of their element, in lower case. */
export function overridesOf(instance: ElementView): ReadonlyMap<string, Override> {
  const found = new Map<string, Override>();
  for (const { raw, place } of entriesOf(instance)) {
    const { elementId, properties } = raw;
    if (typeof elementId === "string" && isJsonObject(properties)) {
      found.set(elementId.toLowerCase(), {
        properties,
        place: { parent: place, key: "properties" },
      });
    }
  }
  return found;
}

/** Each override names an element of the component once, and properties of that element's type. */
export function checkOverrides(
  instance: ElementView,
  component: ComponentEntry,
  problems: ProblemList,
): void {
  const seen = new Set<string>();
  for (const { raw, place } of entriesOf(instance)) {
    const { elementId, properties } = raw;
    if (typeof elementId !== "string") {
      continue;
    }
    const id = elementId.toLowerCase();
    const type = component.types.get(id);
    if (type === undefined) {
      problems.add(
        "unknown_reference",
        within(place, "elementId"),
        "The component has no element with this id. Correct the id, or remove the override.",
      );
      continue;
    }
    if (seen.has(id)) {
      problems.add(
        "duplicate_id",
        within(place, "elementId"),
        "An earlier override names the same element. Join them.",
      );
    }
    seen.add(id);
    if (isJsonObject(properties)) {
      checkProperties(type, properties, { parent: place, key: "properties" }, problems);
    }
  }
}

function checkProperties(
  type: keyof typeof ELEMENT_SCHEMAS,
  properties: { readonly [key: string]: JsonValue },
  place: Place,
  problems: ProblemList,
): void {
  const shape: Readonly<Record<string, z.core.$ZodType>> = ELEMENT_SCHEMAS[type].shape;
  const known = Object.keys(shape).filter((name) => !FIXED.has(name));
  for (const name of Object.keys(properties)) {
    if (problems.isFull) {
      return;
    }
    const schema = known.includes(name) ? shape[name] : undefined;
    if (schema !== undefined) {
      checkOf(schema)(properties[name], place, name, problems);
    } else {
      unknownProperty(name, place, known, problems);
    }
  }
}

function entriesOf(instance: ElementView) {
  return elementsOf(instance.get("overrides"), instance.placeOf("overrides"));
}
