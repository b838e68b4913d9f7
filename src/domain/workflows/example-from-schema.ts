import { isJsonObject, type JsonValue } from "../../lib/exact-json.ts";

const DEPTH_MAX = 8;

/** A value of the kind a JSON Schema asks for. A good guess, no more: patterns and conditions are not solved. */
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
