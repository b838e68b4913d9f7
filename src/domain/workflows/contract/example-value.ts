import { exampleMediaFile, isMediaKind } from "../../../contracts/media/media-kinds.ts";
import {
  isJsonNumber,
  isJsonObject,
  type JsonValue,
  numberToken,
} from "../../../lib/json/exact-json.ts";
import type { NodeType } from "../../../nodes/define-roles.ts";

type InputType = Extract<NodeType, { role: "input" }>;

/**
 * A value that the input node accepts: its default, else the first of some usual values that passes
 * the node's check.
 */
export function exampleValue(
  type: InputType,
  params: unknown,
  label: string,
): JsonValue | undefined {
  const fallback = type.defaultValue(params);
  if (fallback !== undefined) {
    return fallback;
  }
  if (isMediaKind(type.inputKind)) {
    return exampleMediaFile(type.inputKind).url;
  }
  const parameters = isJsonObject(params) ? params : {};
  for (const candidate of candidates(type, parameters, label)) {
    const parsed = type.parse(candidate, params);
    if (!("problem" in parsed)) {
      return candidate;
    }
  }
  return undefined;
}

function candidates(
  type: InputType,
  parameters: { readonly [key: string]: JsonValue },
  label: string,
): JsonValue[] {
  const text = `Example ${label.trim().toLowerCase()}`.trimEnd();
  const texts = [text, "Example", "Ex", "x", "https://example.com/", "2026-01-01", "1"];
  const numbers = numberCandidates(parameters);
  switch (type.inputKind) {
    case "text":
      return texts;
    case "number":
      return numbers;
    case "boolean":
      return [true, false];
    default:
      return [
        ...(type.enumerate === undefined ? [] : [exampleRows(parameters)]),
        ...(isJsonObject(parameters["schema"]) ? [exampleFromSchema(parameters["schema"])] : []),
        { example: true },
        [{ example: true }],
        ...texts,
        ...numbers,
        true,
      ];
  }
}

function numberCandidates(parameters: { readonly [key: string]: JsonValue }): JsonValue[] {
  const [min, max, step] = ["min", "max", "step"].map((name) => {
    const value = parameters[name];
    return isJsonNumber(value) ? value : undefined;
  });
  const [low, high, by] = [min ?? 0, max ?? 0, step ?? 1].map((value) =>
    Number(numberToken(value)),
  );
  const between = [(low ?? 0) + (by ?? 1), ((low ?? 0) + (high ?? 0)) / 2];
  return [1, min, max, 0, step, ...between].filter((value) => value !== undefined);
}

const BY_OUTPUT_TYPE: Readonly<Record<string, JsonValue>> = {
  text: "Example",
  number: 1,
  boolean: true,
  json: { example: true },
  url: "https://example.com/",
};

/** Two rows with every column that the node reads from them. */
function exampleRows(parameters: { readonly [key: string]: JsonValue }): JsonValue {
  const config = parameters["jsonConfig"];
  const properties = isJsonObject(config) ? config["properties"] : undefined;
  const row = (): JsonValue => {
    const made: Record<string, unknown> = Object.create(null);
    for (const property of Array.isArray(properties) ? (properties as readonly JsonValue[]) : []) {
      if (
        isJsonObject(property) &&
        typeof property["path"] === "string" &&
        property["isComputed"] !== true
      ) {
        const type = property["outputType"];
        const value = (typeof type === "string" ? BY_OUTPUT_TYPE[type] : undefined) ?? "Example";
        setAt(made, namesOf(property["path"]), value);
      }
    }
    return made as JsonValue;
  };
  const rows = [row(), row()] as const;
  const table = typeof parameters["table"] === "string" ? namesOf(parameters["table"]) : [];
  if (table.length === 0) {
    return rows;
  }
  const wrapped: Record<string, unknown> = Object.create(null);
  setAt(wrapped, table, rows);
  return wrapped as JsonValue;
}

/** `$.a.b` → `a`, `b`; paths with brackets have no example other than the author's default. */
function namesOf(path: string): string[] {
  return path
    .replace(/^\$\.?/, "")
    .split(".")
    .filter((name) => name !== "");
}

/** Every level has no prototype, so that any name is plain data. */
function setAt(target: Record<string, unknown>, names: readonly string[], value: JsonValue): void {
  const [name, ...rest] = names;
  if (name === undefined || name === "") {
    return;
  }
  if (rest.length === 0) {
    target[name] ??= value;
    return;
  }
  const inner = target[name];
  const next = (isJsonObject(inner) ? inner : Object.create(null)) as Record<string, unknown>;
  target[name] = next;
  setAt(next, rest, value);
}

const DEPTH_MAX = 8;

/** A value for a JSON Schema. Only a good guess: patterns and conditions are not solved. */
export function exampleFromSchema(schema: JsonValue, depth = 0): JsonValue {
  if (!isJsonObject(schema) || depth > DEPTH_MAX) {
    return {};
  }
  for (const given of ["default", "const"]) {
    const value = schema[given];
    if (value !== undefined) {
      return value;
    }
  }
  for (const list of ["examples", "enum"]) {
    const [first] = listOf(schema[list]);
    if (first !== undefined) {
      return first;
    }
  }
  const [type] = typeof schema["type"] === "string" ? [schema["type"]] : listOf(schema["type"]);
  switch (type) {
    case "string":
      return "Example"
        .padEnd(countOf(schema["minLength"]), ".")
        .slice(0, countOf(schema["maxLength"], 1000));
    case "integer":
    case "number":
      return schema["minimum"] ?? schema["exclusiveMaximum"] ?? schema["maximum"] ?? 1;
    case "boolean":
      return true;
    case "null":
      return null;
    case "array":
      return Array.from({ length: Math.max(1, countOf(schema["minItems"])) }, () =>
        exampleFromSchema(schema["items"] ?? {}, depth + 1),
      );
    default:
      return exampleObject(schema, depth);
  }
}

function exampleObject(schema: { readonly [key: string]: JsonValue }, depth: number): JsonValue {
  const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  const names = new Set(Object.keys(properties));
  for (const name of listOf(schema["required"])) {
    if (typeof name === "string") {
      names.add(name);
    }
  }
  // fromEntries defines own properties: a property named `__proto__` stays data.
  return Object.fromEntries(
    [...names].map((name) => [
      name,
      exampleFromSchema(
        (Object.hasOwn(properties, name) ? properties[name] : {}) as JsonValue,
        depth + 1,
      ),
    ]),
  );
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function countOf(value: JsonValue | undefined, otherwise = 0): number {
  return typeof value === "number" && value >= 0 ? Math.min(value, 1000) : otherwise;
}
