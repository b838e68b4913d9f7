/** Parameters of a node for the panel: which are shown, by which control, with which value. */
import type { CatalogParameter } from "../../../contracts/workflows/node-type-entry.ts";
import {
  isJsonNumber,
  isJsonObject,
  jsonNumber,
  type JsonValue,
  numberToken,
  parseJson,
  stringifyJson,
} from "../../../lib/json/exact-json.ts";
import { isJsonTextDeeperThan } from "../../../lib/json/json-text-depth.ts";
import type { WordKey } from "../words.ts";
import type { JsonObject } from "./graph.ts";
import { type CatalogEntry, parameterValue, TEMPLATE_PARAMETER } from "./ports.ts";

/** A JSON Schema of the catalog. */
export type Schema = Readonly<Record<string, unknown>>;

export type Control =
  | { readonly kind: "text"; readonly isLong: boolean; readonly maxLength?: number }
  | {
      readonly kind: "number";
      readonly isInteger: boolean;
      readonly min?: number;
      readonly max?: number;
    }
  | { readonly kind: "boolean" }
  | { readonly kind: "enum"; readonly options: readonly JsonValue[] }
  | { readonly kind: "preset"; readonly category: string }
  | { readonly kind: "effect" }
  | { readonly kind: "model" }
  | { readonly kind: "template" }
  /** Rows of an array, each a value of `item`. */
  | { readonly kind: "rows"; readonly item: Schema; readonly max: number }
  | { readonly kind: "object"; readonly members: readonly Member[] }
  | { readonly kind: "json" };

export interface Member {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

/** Texts with a longer limit get a text area, those without a limit do not. */
const SHORT_TEXT_MAX = 200;
const ROWS_MAX = 500;

/** Names of parameters by which the contract defines what they refer to. */
const MODEL_PARAMETER = "model";

/** The control of a parameter, from its entry in the catalog and whether its node type has models. */
export function controlOf(parameter: CatalogParameter, hasModels: boolean): Control {
  switch (parameter.type) {
    case "preset":
      return { kind: "preset", category: parameter.category ?? "" };
    case "effect":
      return { kind: "effect" };
    default:
      if (parameter.name === TEMPLATE_PARAMETER) {
        return { kind: "template" };
      }
      if (parameter.name === MODEL_PARAMETER && hasModels) {
        return { kind: "model" };
      }
      return controlOfSchema(parameter.value_schema);
  }
}

/** The control of a value by its schema alone, for parameters and for the members of rows. */
export function controlOfSchema(given: Schema): Control {
  const schema = withoutNull(given);
  const options = schema["enum"];
  if (Array.isArray(options)) {
    return { kind: "enum", options: options as readonly JsonValue[] };
  }
  switch (schema["type"]) {
    case "string": {
      const max = numberAt(schema, "maxLength");
      const isLong = (max ?? 0) > SHORT_TEXT_MAX && schema["pattern"] === undefined;
      return { kind: "text", isLong, ...(max !== undefined && { maxLength: max }) };
    }
    case "number":
    case "integer": {
      const [min, max] = [numberAt(schema, "minimum"), numberAt(schema, "maximum")];
      return {
        kind: "number",
        isInteger: schema["type"] === "integer",
        ...(min !== undefined && { min }),
        ...(max !== undefined && { max }),
      };
    }
    case "boolean":
      return { kind: "boolean" };
    case "array":
      return isSchema(schema["items"])
        ? { kind: "rows", item: schema["items"], max: numberAt(schema, "maxItems") ?? ROWS_MAX }
        : { kind: "json" };
    case "object":
      return isSchema(schema["properties"])
        ? { kind: "object", members: membersOf(schema) }
        : { kind: "json" };
    default:
      return { kind: "json" };
  }
}

/** A nullable schema is that of its value; the control clears it by leaving it out. Of several texts the first counts. */
function withoutNull(schema: Schema): Schema {
  const options = schema["anyOf"];
  if (Array.isArray(options)) {
    const some = options.find(
      (option): option is Schema => isSchema(option) && option["type"] !== "null",
    );
    return some ?? {};
  }
  const type = schema["type"];
  if (Array.isArray(type)) {
    const named = type.filter((each) => each !== "null");
    return named.length === 1 ? { ...schema, type: named[0] as unknown } : {};
  }
  return schema;
}

function membersOf(schema: Schema): readonly Member[] {
  const required = new Set(
    Array.isArray(schema["required"]) ? (schema["required"] as unknown[]) : [],
  );
  return Object.entries(schema["properties"] as Schema).flatMap(([name, member]) =>
    isSchema(member) ? [{ name, schema: member, isRequired: required.has(name) }] : [],
  );
}

export function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function numberAt(schema: Schema, key: string): number | undefined {
  const value = schema[key];
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

export interface ShownParameters {
  readonly basic: readonly CatalogParameter[];
  readonly advanced: readonly CatalogParameter[];
  /** Kept by the service: shown read-only, and only where the node has a value. */
  readonly hidden: readonly CatalogParameter[];
}

/** The parameters that apply, in the catalog's order. */
export function shownParameters(entry: CatalogEntry, parameters: JsonObject): ShownParameters {
  const applying = entry.parameters.filter((parameter) => isVisible(entry, parameter, parameters));
  return {
    basic: applying.filter(({ advanced, hidden }) => !advanced && !hidden),
    advanced: applying.filter(({ advanced, hidden }) => advanced && !hidden),
    hidden: applying.filter(({ name, hidden }) => hidden && Object.hasOwn(parameters, name)),
  };
}

/** Whether the other parameter that `visible_when` names has the value, or one of the values; its default counts. */
function isVisible(
  entry: CatalogEntry,
  { visible_when: condition }: CatalogParameter,
  parameters: JsonObject,
): boolean {
  if (condition === undefined) {
    return true;
  }
  const value = parameterValue(entry, parameters, condition.parameter);
  const wanted: readonly unknown[] = Array.isArray(condition.value)
    ? condition.value
    : [condition.value];
  return wanted.some((each) => each === value);
}

/** Longest text that a field for JSON parses, in UTF-16 units. */
export const JSON_TEXT_MAX = 1024 * 1024;
const JSON_DEPTH_MAX = 100;

/** What a person typed into a field for JSON: a value, or why it is none. */
export function readJsonText(
  text: string,
): { readonly value: JsonValue } | { readonly problem: WordKey } {
  if (text.length > JSON_TEXT_MAX || isJsonTextDeeperThan(text, JSON_DEPTH_MAX)) {
    return { problem: "jsonTooLarge" };
  }
  try {
    return { value: parseJson(text) };
  } catch {
    return { problem: "notJson" };
  }
}

/** The value as text of a field for JSON; empty if there is none. */
export function writeJsonText(value: JsonValue | undefined): string {
  return value === undefined ? "" : JSON.stringify(value, undefined, 2);
}

/** The number that a person typed, with its digits; undefined if the text is not a JSON number. */
export function readNumber(text: string): JsonValue | undefined {
  const written = text
    .trim()
    .replace(/^\+/, "")
    .replace(/^(-?)\./, "$10.");
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(written)
    ? jsonNumber(written)
    : undefined;
}

/** A value as the text of an input; JSON for what is not text or number. */
export function showText(value: JsonValue | undefined): string {
  if (value === undefined || value === null) {
    return "";
  }
  return typeof value === "string"
    ? value
    : isJsonNumber(value)
      ? numberToken(value)
      : stringifyJson(value);
}

/** A new row of an array: the members that the schema requires, with their defaults. */
export function newRow(item: Schema): JsonValue {
  const control = controlOfSchema(item);
  const byDefault = withoutNull(item)["default"];
  if (byDefault !== undefined) {
    // The catalog was parsed from JSON.
    return byDefault as JsonValue;
  }
  switch (control.kind) {
    case "object":
      return Object.fromEntries(
        control.members
          .filter(({ isRequired }) => isRequired)
          .map(({ name, schema }) => [name, newRow(schema)]),
      );
    case "enum":
      return control.options[0] ?? "";
    case "number":
      return Math.max(control.min ?? 0, 0);
    case "boolean":
      return false;
    case "rows":
      return [];
    case "json":
      return null;
    default:
      return "";
  }
}

/** Sets a member of an object; undefined removes it. */
export function withMember(
  value: JsonValue | undefined,
  name: string,
  member: JsonValue | undefined,
): JsonObject {
  const next: Record<string, JsonValue> = isJsonObject(value ?? null)
    ? { ...(value as JsonObject) }
    : {};
  if (member === undefined) {
    delete next[name];
  } else {
    next[name] = member;
  }
  return next;
}
