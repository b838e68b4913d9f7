import {
  isJsonNumber,
  isJsonObject,
  type JsonValue,
  numberToken,
  stringifyJson,
} from "../../../lib/json/exact-json.ts";

export type Schema = { readonly [keyword: string]: JsonValue };

const LARGEST = new Set(["minimum", "exclusiveMinimum", "minLength", "minItems"]);
const SMALLEST = new Set(["maximum", "exclusiveMaximum", "maxLength", "maxItems"]);

/** A schema that accepts what both accept, for the keywords that shape an instance. */
export function mergeSchemas(one: JsonValue, other: JsonValue): JsonValue {
  if (one === false || other === false) {
    return false;
  }
  if (!isJsonObject(one)) {
    return other;
  }
  if (!isJsonObject(other)) {
    return one;
  }
  const merged: Record<string, JsonValue> = { ...one };
  for (const [keyword, value] of Object.entries(other)) {
    const before = Object.hasOwn(one, keyword) ? one[keyword] : undefined;
    const both = before === undefined ? value : mergeKeyword(keyword, before, value);
    if (both === undefined) {
      return false;
    }
    merged[keyword] = both;
  }
  // Alternatives of both must hold, as those of the parts of an allOf.
  return keepAlternatives(merged, one, other);
}

/** Two references or lists of alternatives cannot be one: the second becomes a part of an allOf. */
function keepAlternatives(
  merged: Record<string, JsonValue>,
  one: Schema,
  other: Schema,
): JsonValue {
  const parts: JsonValue[] = [];
  for (const keyword of ["$ref", "anyOf", "oneOf"]) {
    const [first, second] = [one[keyword], other[keyword]];
    if (first !== undefined && second !== undefined) {
      merged[keyword] = first;
      parts.push({ [keyword]: second });
    }
  }
  const earlier = [one["allOf"], other["allOf"]].flatMap((list) =>
    Array.isArray(list) ? (list as JsonValue[]) : [],
  );
  const all = [...earlier, ...parts];
  return all.length === 0 ? merged : { ...merged, allOf: all };
}

/** Undefined if no value meets both. */
function mergeKeyword(keyword: string, one: JsonValue, other: JsonValue): JsonValue | undefined {
  if (LARGEST.has(keyword) || SMALLEST.has(keyword)) {
    const [a, b] = [one, other].map((value) =>
      isJsonNumber(value) ? Number(numberToken(value)) : 0,
    );
    return LARGEST.has(keyword) ? Math.max(a ?? 0, b ?? 0) : Math.min(a ?? 0, b ?? 0);
  }
  switch (keyword) {
    case "type":
      return mergeTypes([one].flat() as JsonValue[], [other].flat() as JsonValue[]);
    case "enum":
      return intersection(one, other);
    case "const":
      return stringifyJson(one) === stringifyJson(other) ? one : undefined;
    case "required":
      return [...new Set([...(one as string[]), ...(other as string[])])];
    case "properties":
    case "$defs":
      return mergeMembers(one as Schema, other as Schema);
    case "items":
    case "additionalProperties":
      return mergeSchemas(one, other);
    case "multipleOf":
      return commonMultiple(one, other);
    default:
      return other;
  }
}

function mergeMembers(one: Schema, other: Schema): JsonValue {
  const members: Record<string, JsonValue> = { ...one };
  for (const [name, schema] of Object.entries(other)) {
    members[name] = Object.hasOwn(one, name)
      ? mergeSchemas(one[name] as JsonValue, schema)
      : schema;
  }
  return members;
}

function mergeTypes(one: readonly JsonValue[], other: readonly JsonValue[]): JsonValue | undefined {
  const isIn = (types: readonly JsonValue[], type: JsonValue) =>
    types.includes(type) || (type === "integer" && types.includes("number"));
  const both = [
    ...new Set([
      ...one.filter((type) => isIn(other, type)),
      ...other.filter((type) => isIn(one, type)),
    ]),
  ];
  return both.length === 0 ? undefined : both;
}

function intersection(one: JsonValue, other: JsonValue): JsonValue | undefined {
  const texts = new Set((other as readonly JsonValue[]).map((value) => stringifyJson(value)));
  const both = (one as readonly JsonValue[]).filter((value) => texts.has(stringifyJson(value)));
  return both.length === 0 ? undefined : both;
}

function commonMultiple(one: JsonValue, other: JsonValue): JsonValue {
  const [a, b] = [one, other].map((value) =>
    isJsonNumber(value) ? Number(numberToken(value)) : 1,
  ) as [number, number];
  let [x, y] = [a, b];
  for (let i = 0; i < 64 && y > 1e-9; i++) {
    [x, y] = [y, x % y];
  }
  return (a * b) / x;
}
