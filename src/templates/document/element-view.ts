import { ExactNumber, isJsonObject, type JsonValue } from "../../lib/json/exact-json.ts";
import { type ElementType, ELEMENT_SCHEMAS } from "./elements.ts";
import type { Place } from "./place.ts";

type Raw = { readonly [key: string]: JsonValue };

/** An element as it is stored, with what an instance of its component overrides; nothing about it is certain. */
export class ElementView {
  readonly type: ElementType | undefined;
  readonly #raw: Raw;
  readonly #place: Place;
  readonly #override: { readonly properties: Raw; readonly place: Place } | undefined;

  constructor(
    raw: Raw,
    place: Place,
    override?: { readonly properties: Raw; readonly place: Place },
  ) {
    const type = raw["$type"];
    this.type =
      typeof type === "string" && Object.hasOwn(ELEMENT_SCHEMAS, type)
        ? (type as ElementType)
        : undefined;
    this.#raw = raw;
    this.#place = place;
    this.#override = override;
  }

  get place(): Place {
    return this.#place;
  }

  get isOverridden(): boolean {
    return this.#override !== undefined;
  }

  /** Whether the instance gives this property. */
  overrides(name: string): boolean {
    return this.#override !== undefined && Object.hasOwn(this.#override.properties, name);
  }

  get(name: string): JsonValue | undefined {
    const from =
      this.#override !== undefined && this.overrides(name) ? this.#override.properties : this.#raw;
    return Object.hasOwn(from, name) ? from[name] : undefined;
  }

  /** Undefined unless it is a finite number. */
  number(name: string): number | undefined {
    const value = this.get(name);
    const number = value instanceof ExactNumber ? value.toNumber() : value;
    return typeof number === "number" && Number.isFinite(number) ? number : undefined;
  }

  /** In lower case, as ids are compared; undefined unless it is a text. */
  id(name: string): string | undefined {
    const value = this.get(name);
    return typeof value === "string" ? value.toLowerCase() : undefined;
  }

  placeOf(name: string): Place {
    const isOverridden = this.#override !== undefined && this.overrides(name);
    return { parent: isOverridden ? this.#override.place : this.#place, key: name };
  }
}

/** The entries of a list that are objects, with their places. */
export function* elementsOf(
  list: JsonValue | undefined,
  place: Place,
): Iterable<{ readonly raw: Raw; readonly place: Place }> {
  if (Array.isArray(list)) {
    for (const [i, raw] of (list as readonly JsonValue[]).entries()) {
      if (isJsonObject(raw)) {
        yield { raw, place: { parent: place, key: i } };
      }
    }
  }
}
