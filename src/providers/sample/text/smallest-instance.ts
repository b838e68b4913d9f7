import { atPointer } from "../../../expressions/schema-violation.ts";
import {
  isJsonNumber,
  isJsonObject,
  type JsonValue,
  numberToken,
  stringifyJson,
} from "../../../lib/json/exact-json.ts";
import { mergeSchemas, type Schema } from "./merge-schemas.ts";

/** Candidates of one schema; more than this many alternatives are left out. */
const CANDIDATES_MAX = 12;
/** Steps of `$ref`, properties and items below each other. */
const DEPTH_MAX = 24;
/** Schemas that are looked at in all; a schema may double at each step. */
const STEPS_MAX = 4_000;
/**
 * Characters of a document; a longer one is left out. It is twice what `max_output_tokens` can ask for. Without this limit
 * a few lists of lists with `minItems` describe a document that no memory holds.
 */
const CHARACTERS_MAX = 262_144;

const FREE = "sample";

const FORMATS: Readonly<Record<string, string>> = {
  date: "2000-01-01",
  "date-time": "2000-01-01T00:00:00Z",
  time: "00:00:00Z",
  duration: "P1D",
  email: "sample@example.com",
  "idn-email": "sample@example.com",
  hostname: "example.com",
  "idn-hostname": "example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  uri: "https://example.com/",
  "uri-reference": "/",
  iri: "https://example.com/",
  "iri-reference": "/",
  "uri-template": "/",
  uuid: "00000000-0000-4000-8000-000000000000",
  "json-pointer": "",
  "relative-json-pointer": "0",
  regex: "a",
};

/**
 * Small values that the schema may accept, the smallest first: as few members and elements as are
 * required, numbers near 0, and the string `sample` where any would do. The caller checks them; the
 * list is empty if none was found.
 */
export function smallInstances(schema: JsonValue): readonly JsonValue[] {
  return new Finder(schema).find(schema, 0);
}

class Finder {
  readonly #root: JsonValue;
  #steps = 0;

  constructor(root: JsonValue) {
    this.#root = root;
  }

  find(schema: JsonValue, depth: number): JsonValue[] {
    this.#steps++;
    if (schema === false || depth > DEPTH_MAX || this.#steps > STEPS_MAX) {
      return [];
    }
    if (!isJsonObject(schema)) {
      return [FREE];
    }
    const { $ref, allOf, anyOf, oneOf } = schema;
    if (typeof $ref === "string") {
      const target = this.#resolve($ref);
      const rest = without(schema, "$ref");
      return target === undefined ? [] : this.find(mergeSchemas(rest, target), depth + 1);
    }
    // Before allOf, whose parts may have alternatives too.
    for (const [keyword, options] of [
      ["anyOf", anyOf],
      ["oneOf", oneOf],
    ] as const) {
      if (Array.isArray(options)) {
        const rest = without(schema, keyword);
        return inTurn(
          (options as readonly JsonValue[]).map((option) =>
            this.find(mergeSchemas(rest, option), depth + 1),
          ),
        );
      }
    }
    if (Array.isArray(allOf)) {
      let merged: JsonValue = without(schema, "allOf");
      for (const part of allOf as readonly JsonValue[]) {
        merged = mergeSchemas(merged, part);
      }
      return this.find(merged, depth + 1);
    }
    return this.#plain(schema, depth);
  }

  /** A schema without references and alternatives. */
  #plain(schema: Schema, depth: number): JsonValue[] {
    if (Object.hasOwn(schema, "const")) {
      return [schema["const"] as JsonValue];
    }
    if (Array.isArray(schema["enum"])) {
      return smallestFirst(
        (schema["enum"] as readonly JsonValue[]).filter((value) => isOfType(value, schema["type"])),
      );
    }
    return inTurn(typesOf(schema).map((type) => this.#ofType(type, schema, depth)));
  }

  #ofType(type: string, schema: Schema, depth: number): JsonValue[] {
    switch (type) {
      case "null":
        return [null];
      case "boolean":
        return [false, true];
      case "string":
        return strings(schema);
      case "integer":
      case "number":
        return numbers(schema, type === "integer");
      case "array":
        return this.#arrays(schema, depth);
      case "object":
        return this.#objects(schema, depth);
      default:
        return [];
    }
  }

  #arrays(schema: Schema, depth: number): JsonValue[] {
    const count = Math.max(0, numberOf(schema["minItems"]) ?? 0);
    if (count > STEPS_MAX) {
      return [];
    }
    const first = Array.isArray(schema["prefixItems"])
      ? (schema["prefixItems"] as readonly JsonValue[])
      : [];
    const others = this.find(schema["items"] ?? true, depth + 1);
    const choices = Array.from({ length: count }, (_, i) =>
      i < first.length ? this.find(first[i] ?? true, depth + 1) : others,
    );
    let length = 0;
    for (const list of choices) {
      length += lengthOfFirst(list);
      if (length > CHARACTERS_MAX) {
        return [];
      }
    }
    const arrayOf = (turn: (i: number) => number): JsonValue =>
      choices.map((list, i) => list[turn(i) % list.length] as JsonValue);
    const most = choices.reduce((sofar, list) => Math.max(sofar, list.length), 1);
    const turns = Math.max(1, Math.min(most, Math.floor(STEPS_MAX / Math.max(1, count))));
    // The same candidate everywhere, and then different elements: they may have to be unique.
    return [...Array.from({ length: turns }, (_, turn) => arrayOf(() => turn)), arrayOf((i) => i)];
  }

  #objects(schema: Schema, depth: number): JsonValue[] {
    const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
    const names = Array.isArray(schema["required"])
      ? [...new Set((schema["required"] as readonly JsonValue[]).map(String))]
      : [];
    const choices: JsonValue[][] = [];
    let length = 0;
    for (const name of names) {
      const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
      const list = this.find(own ?? schema["additionalProperties"] ?? true, depth + 1);
      length += lengthOfFirst(list);
      if (length > CHARACTERS_MAX) {
        return [];
      }
      choices.push(list);
    }
    const made = (picked: (i: number) => number): JsonValue =>
      Object.fromEntries(names.map((name, i) => [name, choices[i]?.[picked(i)] as JsonValue]));
    const objects = [made(() => 0)];
    // Then one member at a time differs.
    for (const [i, list] of choices.entries()) {
      for (let other = 1; other < list.length && objects.length < CANDIDATES_MAX; other++) {
        objects.push(made((j) => (j === i ? other : 0)));
      }
    }
    return objects;
  }

  #resolve(reference: string): JsonValue | undefined {
    if (reference === "#") {
      return this.#root;
    }
    return reference.startsWith("#/")
      ? atPointer(this.#root, decodeURIComponent(reference.slice(1)))
      : anchored(this.#root, reference.slice(1));
  }
}

function anchored(value: JsonValue, name: string): JsonValue | undefined {
  if (Array.isArray(value)) {
    return (value as readonly JsonValue[])
      .map((element) => anchored(element, name))
      .find((found) => found !== undefined);
  }
  if (!isJsonObject(value)) {
    return undefined;
  }
  return value["$anchor"] === name
    ? value
    : Object.values(value)
        .map((member) => anchored(member, name))
        .find((found) => found !== undefined);
}

function without(schema: Schema, keyword: string): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => name !== keyword));
}

/** The types that a schema allows, or that its keywords speak of. */
function typesOf(schema: Schema): readonly string[] {
  const { type } = schema;
  if (typeof type === "string") {
    return [type];
  }
  if (Array.isArray(type)) {
    return (type as readonly JsonValue[]).map(String);
  }
  const has = (...names: string[]) => names.some((name) => Object.hasOwn(schema, name));
  if (has("properties", "required", "additionalProperties")) {
    return ["object"];
  }
  if (has("items", "minItems", "prefixItems")) {
    return ["array"];
  }
  if (has("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")) {
    return ["number"];
  }
  return ["string"];
}

function strings(schema: Schema): JsonValue[] {
  const least = numberOf(schema["minLength"]) ?? 0;
  const most = numberOf(schema["maxLength"]) ?? Infinity;
  const { format } = schema;
  const start = (typeof format === "string" ? FORMATS[format] : undefined) ?? FREE;
  if (least > 100_000 || least > most) {
    return [];
  }
  const padded = start.length < least ? padTo(start, least) : start;
  return [padded.slice(0, most)];
}

/** Longer with letters that keep its format: those of a name before an at sign, or of a path. */
function padTo(text: string, length: number): string {
  const missing = FREE.repeat(Math.ceil(length / FREE.length)).slice(0, length - text.length);
  return text.includes("@") ? missing + text : text + missing;
}

/** The allowed numbers nearest to 0. */
function numbers(schema: Schema, isInteger: boolean): JsonValue[] {
  const given = numberOf(schema["multipleOf"]) ?? 0;
  const step = isInteger ? (given > 0 && Number.isInteger(given) ? given : 1) : given;
  const low = numberOf(schema["minimum"]) ?? -Infinity;
  const high = numberOf(schema["maximum"]) ?? Infinity;
  const above = numberOf(schema["exclusiveMinimum"]) ?? -Infinity;
  const below = numberOf(schema["exclusiveMaximum"]) ?? Infinity;
  const fits = (value: number) => value >= low && value <= high && value > above && value < below;
  const [from, to] = [Math.max(low, above), Math.min(high, below)];
  const candidates = [0, from, to, (from + to) / 2, from + 1, to - 1, from + (to - from) / 1024];
  if (step > 0) {
    for (const border of [from, to]) {
      const index = border / step;
      candidates.push(
        ...[Math.ceil(index), Math.floor(index), Math.ceil(index) + 1, Math.floor(index) - 1].map(
          (i) => multiple(i, step),
        ),
      );
    }
  }
  const isMultiple = (value: number) =>
    (step === 0 || Math.abs(value / step - Math.round(value / step)) < 1e-9) &&
    (!isInteger || Number.isInteger(value));
  return [...new Set(candidates)]
    .filter((value) => Number.isFinite(value) && fits(value) && isMultiple(value))
    .map((value) => (value === 0 ? 0 : value))
    .toSorted((a, b) => lengthOf(a) - lengthOf(b) || Math.abs(a) - Math.abs(b))
    .slice(0, 3);
}

/** The double nearest to `count` times a step in decimals: 0.07, where the product of doubles is 0.07 and a little. */
function multiple(count: number, step: number): number {
  const [digits = "", exponent = "0"] = String(step).split("e");
  const decimals = (digits.split(".")[1]?.length ?? 0) - Number(exponent);
  const product = count * step;
  return decimals > 0 && decimals <= 20 ? Number(product.toFixed(decimals)) : product;
}

function isOfType(value: JsonValue, types: JsonValue | undefined): boolean {
  if (types === undefined) {
    return true;
  }
  const isInteger = isJsonNumber(value) && Number.isInteger(Number(numberToken(value)));
  const own =
    value === null
      ? "null"
      : Array.isArray(value)
        ? "array"
        : isJsonNumber(value)
          ? "number"
          : typeof value;
  const allowed = [types].flat() as readonly JsonValue[];
  return allowed.includes(own) || (isInteger && allowed.includes("integer"));
}

function numberOf(value: JsonValue | undefined): number | undefined {
  return isJsonNumber(value) ? Number(numberToken(value)) : undefined;
}

/** The first of each list, the smallest first, then the second of each, and so on. */
function inTurn(lists: readonly (readonly JsonValue[])[]): JsonValue[] {
  return lists
    .flatMap((list) => list.map((value, turn) => ({ value, turn, length: lengthOf(value) })))
    .filter(({ length }) => length <= CHARACTERS_MAX)
    .toSorted((a, b) => a.turn - b.turn || a.length - b.length)
    .slice(0, CANDIDATES_MAX)
    .map(({ value }) => value);
}

function smallestFirst(values: readonly JsonValue[]): JsonValue[] {
  return values.toSorted((a, b) => lengthOf(a) - lengthOf(b)).slice(0, CANDIDATES_MAX);
}

/** Characters of the smallest candidate and of what separates it from the next; infinite if there is none. */
function lengthOfFirst([first]: readonly JsonValue[]): number {
  return first === undefined ? Infinity : lengthOf(first) + 1;
}

/** Of objects and arrays, which are parts of many candidates. */
const lengths = new WeakMap<object, number>();

/** Characters of the value as JSON. */
function lengthOf(value: JsonValue): number {
  if (typeof value !== "object" || value === null || isJsonNumber(value)) {
    return stringifyJson(value).length;
  }
  const known = lengths.get(value);
  if (known !== undefined) {
    return known;
  }
  let length = 1;
  for (const [name, member] of Object.entries(value)) {
    length += lengthOf(member) + 1 + (Array.isArray(value) ? 0 : stringifyJson(name).length + 1);
  }
  lengths.set(value, Math.max(2, length));
  return Math.max(2, length);
}
