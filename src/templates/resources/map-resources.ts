import { FontReference } from "../../contracts/files/font.ts";
import { isJsonObject, type JsonValue } from "../../lib/json/exact-json.ts";

type JsonObject = { readonly [key: string]: JsonValue };

/** Replacements of what a document takes from its workspace. */
export interface ResourceMap {
  /** The source of a picture. */
  readonly picture: (source: string) => string;
  /** The name of a font family. */
  readonly family: (name: string) => string;
  readonly font: (reference: FontReference) => FontReference;
}

/** A field of a contract, as far as it names pictures. */
export interface ResourceField {
  readonly code: string;
  readonly type: string;
  readonly item_keys?: readonly ResourceField[] | undefined;
}

/** The fields of a valid document that are not replaced by their names, at any level. */
const DEFAULT_VALUE = "defaultValue";

/**
 * A copy of a valid document with its fonts and pictures replaced: those of elements, styles, overrides and backgrounds,
 * the default values of image fields, and the values that sample sets give to image fields. Numbers keep their digits.
 */
export function mapResources(
  document: JsonValue,
  fields: readonly ResourceField[],
  map: ResourceMap,
): JsonValue {
  if (!isJsonObject(document)) {
    return document;
  }
  const { sampleSets, ...rest } = document;
  const mapped = mapValue(rest, map) as JsonObject;
  return sampleSets === undefined
    ? mapped
    : { ...mapped, sampleSets: mapSampleSets(sampleSets, fields, map) };
}

function mapValue(value: JsonValue, map: ResourceMap): JsonValue {
  if (Array.isArray(value)) {
    return (value as readonly JsonValue[]).map((item) => mapValue(item, map));
  }
  if (!isJsonObject(value)) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, mapMember(key, member, map)]),
  );
}

function mapMember(key: string, value: JsonValue, map: ResourceMap): JsonValue {
  switch (key) {
    case "src":
      return typeof value === "string" ? map.picture(value) : value;
    case "fontFamily":
      return typeof value === "string" ? map.family(value) : value;
    case "fallbackFonts":
      return Array.isArray(value)
        ? (value as readonly JsonValue[]).map((name) =>
            typeof name === "string" ? map.family(name) : name,
          )
        : value;
    case "font": {
      const reference = FontReference.safeParse(value);
      return reference.success ? { ...map.font(reference.data) } : value;
    }
    case "placeholder":
      return mapField(value, map);
    default:
      return mapValue(value, map);
  }
}

function mapField(field: JsonValue, map: ResourceMap): JsonValue {
  if (!isJsonObject(field) || field["placeholderType"] !== "image") {
    return field;
  }
  const source = field[DEFAULT_VALUE];
  return typeof source === "string" && source !== ""
    ? { ...field, [DEFAULT_VALUE]: map.picture(source) }
    : field;
}

function mapSampleSets(
  sets: JsonValue,
  fields: readonly ResourceField[],
  map: ResourceMap,
): JsonValue {
  return Array.isArray(sets)
    ? (sets as readonly JsonValue[]).map((set) =>
        isJsonObject(set) && set["values"] !== undefined
          ? { ...set, values: mapGiven(set["values"], fields, map) }
          : set,
      )
    : sets;
}

/** Values by code, or an item of a list. */
function mapGiven(
  values: JsonValue,
  fields: readonly ResourceField[],
  map: ResourceMap,
): JsonValue {
  if (!isJsonObject(values)) {
    return values;
  }
  const mapped: Record<string, JsonValue> = { ...values };
  for (const { code, type, item_keys: keys } of fields) {
    const value = Object.hasOwn(values, code) ? values[code] : undefined;
    if (type === "image" && typeof value === "string" && value !== "") {
      mapped[code] = map.picture(value);
    } else if (type === "list" && Array.isArray(value) && keys !== undefined) {
      mapped[code] = (value as readonly JsonValue[]).map((item) => mapGiven(item, keys, map));
    }
  }
  return mapped;
}
