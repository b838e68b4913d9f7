/** Random design documents, changes of them, and values for them, for tests of compatibility. */
import type { JsonValue } from "../../../src/lib/json/exact-json.ts";
import type { SeededRandom } from "../../simulation/seeded-random.ts";
import { element, field, type Json } from "./documents.ts";

const TYPES = ["text", "number", "date", "url", "image", "color", "boolean", "list"] as const;
type Type = (typeof TYPES)[number];

/** A field as the generator keeps it; `items` and `itemsMax` belong to lists. */
export interface RandomField {
  readonly code: string;
  readonly type: Type;
  readonly required: boolean;
  readonly hasDefault: boolean;
  readonly itemsMax: number;
  readonly items: readonly RandomField[];
}

export interface RandomRevision {
  readonly fields: readonly RandomField[];
  readonly pages: readonly {
    readonly id: string;
    readonly height: number;
    readonly fits: boolean;
  }[];
}

const CODES = ["a", "b", "c", "d"] as const;
const PAGES = [1, 2, 3].map((n) => `00000000-0000-4000-8000-00000000000${String(n)}`);

const STORED_PICTURE = "storage://a.png";
/** One white pixel. */
const ONE_PIXEL =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAsTj2FAAAAABJRU5ErkJggg==";

const VALUES: Readonly<Record<Exclude<Type, "list">, readonly JsonValue[]>> = {
  text: ["Text", "", 1, 2.5, true, "#336699", "2026-01-31", null],
  number: [1, -2.5, 0, null],
  date: ["2026-01-31", "2026-01-31T09:30:00Z", "", null],
  url: ["https://example.com/", "Text", "", null],
  image: [STORED_PICTURE, "#336699", "", null],
  color: ["#336699", "#abcDEF", "", null],
  boolean: [true, false, null],
};

const DEFAULTS: Readonly<Record<Exclude<Type, "list">, JsonValue>> = {
  text: "Default",
  number: 7,
  date: "2026-02-28",
  url: "https://example.org/",
  image: "storage://default.png",
  color: "#000001",
  boolean: false,
};

export function randomRevision(random: SeededRandom): RandomRevision {
  return {
    fields: randomFields(random, 0),
    pages: PAGES.slice(0, random.int(1, 3)).map((id) => ({ id, height: 500, fits: false })),
  };
}

/** The next revision: some things changed, most left. */
export function nextRevision(
  random: SeededRandom,
  { fields, pages }: RandomRevision,
): RandomRevision {
  const changed = random.chance(0.15)
    ? random.pick([
        pages.slice(1),
        pages.toReversed(),
        pages.map((page) => ({ ...page, height: 400 })),
        pages.map((page) => ({ ...page, fits: true })),
        [...pages, { id: "00000000-0000-4000-8000-000000000009", height: 500, fits: false }],
      ])
    : pages;
  return {
    fields: changedFields(random, fields, 0),
    pages: changed.length === 0 ? pages : changed,
  };
}

/** Values as a caller may send them; not all are complete. */
export function randomValues(random: SeededRandom, fields: readonly RandomField[]): Json {
  return Object.fromEntries(
    fields
      .filter(({ required }) => random.chance(required ? 0.99 : 0.6))
      .map((one) => [one.code, randomValue(random, one)]),
  );
}

/** The values with a picture that needs no store in place of the stored one. */
export function printable(values: Json): Json {
  return JSON.parse(JSON.stringify(values).replaceAll(STORED_PICTURE, ONE_PIXEL)) as Json;
}

/** The document with other places, sizes and colors of its elements, none of which is part of a contract. */
export function restyled(random: SeededRandom, document: Json): Json {
  const restyle = (value: JsonValue): JsonValue => {
    if (Array.isArray(value)) {
      return value.map(restyle);
    }
    if (typeof value !== "object" || value === null) {
      return value;
    }
    const copy: Record<string, JsonValue> = Object.fromEntries(
      Object.entries(value).map(([name, one]) => [name, restyle(one)]),
    );
    const style = "$type" in copy && random.chance(0.5) ? styleOf(random, copy["$type"]) : {};
    return { ...copy, ...style };
  };
  return restyle(document as JsonValue) as Json;
}

function styleOf(random: SeededRandom, type: JsonValue | undefined): Json {
  const place = { left: random.int(-20, 250), top: random.int(-20, 450) };
  switch (type) {
    case "text":
      return {
        ...place,
        fontSize: random.int(4, 40),
        fontWeight: random.pick([400, 700]),
        overflowMode: random.pick(["clip", "ellipsis", "shrink", "visible"] as const),
      };
    case "rectangle":
      return { ...place, width: random.int(1, 90), opacity: random.pick([0, 0.5, 1]) };
    default:
      return place;
  }
}

export function documentOf({ fields, pages }: RandomRevision): Json {
  return {
    schemaVersion: "2.0",
    pages: pages.map(({ id, height, fits }, index) => ({
      id,
      width: 300,
      height,
      fitHeight: fits,
      elements: index === 0 ? fields.map(elementOf) : [],
    })),
  };
}

function randomFields(random: SeededRandom, depth: number): RandomField[] {
  return CODES.filter(() => random.chance(0.5)).map((code) => randomField(random, code, depth));
}

function randomField(random: SeededRandom, code: string, depth: number): RandomField {
  const type = random.pick(depth < 2 ? [...TYPES, "list" as const] : TYPES.slice(0, -1));
  return {
    code,
    type,
    required: random.chance(0.4),
    hasDefault: random.chance(0.3),
    itemsMax: random.int(1, 4),
    items: type === "list" ? randomFields(random, depth + 1) : [],
  };
}

function changedFields(
  random: SeededRandom,
  fields: readonly RandomField[],
  depth: number,
): RandomField[] {
  const kept = fields
    .filter(() => !random.chance(0.04))
    .map((one): RandomField => {
      if (random.chance(0.04)) {
        return { ...randomField(random, one.code, depth), code: one.code };
      }
      return {
        ...one,
        required: one.required !== random.chance(0.06),
        hasDefault: one.hasDefault !== random.chance(0.06),
        itemsMax: random.chance(0.4) ? random.int(1, 4) : one.itemsMax,
        items: changedFields(random, one.items, depth + 1),
      };
    });
  const free = CODES.filter((code) => !fields.some((one) => one.code === code));
  return [
    ...kept,
    ...free.filter(() => random.chance(0.1)).map((code) => randomField(random, code, depth)),
  ];
}

function randomValue(
  random: SeededRandom,
  { type, required, items, itemsMax }: RandomField,
): JsonValue {
  if (type === "list") {
    const length = random.chance(0.4) ? itemsMax : random.int(0, itemsMax + 1);
    return Array.from({ length }, () => randomValues(random, items));
  }
  const value = random.pick(VALUES[type]);
  // Mostly complete: values that the first revision refuses say nothing about the second.
  const isGiven = value !== null && value !== "";
  return isGiven || !required || random.chance(0.05) ? value : (VALUES[type][0] ?? null);
}

function elementOf(one: RandomField): Json {
  const { code, type, required, hasDefault, itemsMax, items } = one;
  const isDefaulted = hasDefault && type !== "list";
  const placeholder = field(type, code, {
    required,
    ...(isDefaulted && { defaultValue: DEFAULTS[type] }),
  });
  switch (type) {
    case "list":
      return element("repeat_region", {
        placeholder,
        itemHeight: 1,
        maxItems: itemsMax,
        children: items.map(elementOf),
      });
    case "image":
      return element("image", { placeholder });
    case "color":
    case "boolean":
      return element("rectangle", { placeholder });
    case "text":
    case "number":
    case "date":
    case "url":
      return element("text", { placeholder, text: "Own" });
  }
}
