import { isJsonObject, type JsonValue } from "../../lib/json/exact-json.ts";

export type Properties = { readonly [name: string]: JsonValue };

/** What the properties of a command belong to. */
export type EditTarget = "page" | "master" | "sample_set" | "element";

/** In an element's properties: entries of `overrides`, whose `properties` are those of an element again. */
type Target = EditTarget | "override";

/** Members whose content is of the author's own naming. */
const OPAQUE: ReadonlySet<string> = new Set([
  "values",
  "value",
  "default_value",
  "features",
  "replacements",
]);

const PAINT_ORDERS: Readonly<Record<string, string>> = {
  fill_stroke: "fill_then_stroke",
  stroke_fill: "stroke_then_fill",
};

/** Lists of elements: in them, `type` is `$type` again. */
const ELEMENT_LISTS: ReadonlySet<string> = new Set(["children", "header"]);

/**
 * The properties of a command, in snake_case, in the document's own form (docs/contract/templates.md#edits). Names of
 * the document's form are kept; `foreignNames` finds them.
 */
export function documentForm(properties: Properties, target: EditTarget): Properties {
  return converted(properties, target) as Properties;
}

/** Names that a command does not have, with the name to use: `fontSize` and `font_size`. */
export function foreignNames(
  value: JsonValue,
  target: Target | undefined,
): (readonly [given: string, right: string])[] {
  if (Array.isArray(value)) {
    return (value as readonly JsonValue[]).flatMap((entry) => foreignNames(entry, target));
  }
  if (!isJsonObject(value)) {
    return [];
  }
  return Object.entries(value).flatMap(([name, child]) => {
    const right = rightName(name, target);
    return [
      ...(right === undefined ? [] : [[name, right] as const]),
      ...(OPAQUE.has(name) ? [] : foreignNames(child, targetIn(name, target))),
    ];
  });
}

function rightName(name: string, target: Target | undefined): string | undefined {
  if (target === "element" && name === "$type") {
    return "type";
  }
  if (target === "page" && (name === "numbering_style" || name === "numberingStyle")) {
    return "style";
  }
  return /^[a-z][A-Za-z0-9]*[A-Z]/.test(name)
    ? name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    : undefined;
}

function nameOf(name: string, target: Target | undefined): string {
  if (name === "type" && target === "element") {
    return "$type";
  }
  return name === "style" && target === "page" ? "numberingStyle" : camelCase(name);
}

function targetIn(name: string, target: Target | undefined): Target | undefined {
  if (target === "override") {
    return name === "properties" ? "element" : undefined;
  }
  if (target !== "element") {
    return undefined;
  }
  return name === "overrides" ? "override" : ELEMENT_LISTS.has(name) ? "element" : undefined;
}

function camelCase(name: string): string {
  return name.replaceAll(/(?<=[a-z0-9])_([a-z0-9])/g, (_match, letter: string) =>
    letter.toUpperCase(),
  );
}

function valueOf(name: string, value: JsonValue, target: Target | undefined): JsonValue {
  if (OPAQUE.has(name)) {
    return value;
  }
  if (name === "paint_order" && typeof value === "string") {
    return PAINT_ORDERS[value] ?? value;
  }
  return converted(value, targetIn(name, target));
}

function converted(value: JsonValue, target: Target | undefined): JsonValue {
  if (Array.isArray(value)) {
    return (value as readonly JsonValue[]).map((entry) => converted(entry, target));
  }
  if (!isJsonObject(value)) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, child]) => [
      nameOf(name, target),
      valueOf(name, child, target),
    ]),
  );
}
