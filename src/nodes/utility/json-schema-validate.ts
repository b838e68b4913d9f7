import * as z from "zod";
import { jsonField } from "../../contracts/workflows/node-parameters.ts";
import { isJsonObject, type JsonValue, parseJson } from "../../lib/json/exact-json.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import { defineNode } from "../define-node.ts";

const VIOLATIONS_MAX = 100;
const LISTED_MAX = 10;

const params = z.strictObject({
  schema_source: z
    .enum(["inline"])
    .default("inline")
    .meta({ title: "Source of the schema", advanced: true }),
  schema_definition: jsonField.meta({
    title: "Schema",
    description: "A JSON Schema (2020-12), or its JSON text. Patterns follow RE2.",
  }),
  mode: z.enum(["fail", "report"]).default("fail").meta({
    title: "Mode",
    description: "`fail` stops on a violation, `report` lists the violations and continues.",
  }),
});

/** A schema may be written as an object or as its JSON text. */
function schemaOf(definition: JsonValue): JsonValue | undefined {
  let schema = definition;
  if (typeof definition === "string") {
    try {
      schema = parseJson(definition);
    } catch {
      return undefined;
    }
  }
  return typeof schema === "boolean" || isJsonObject(schema) ? schema : undefined;
}

/** A text that starts like an object or a list is parsed as JSON (as from a model); any other text is a JSON string. */
function documentOf(value: JsonValue): JsonValue | undefined {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) {
    return value;
  }
  try {
    return parseJson(value);
  } catch {
    return undefined;
  }
}

export const utilityJsonSchemaValidate = defineNode({
  type: "utility/json_schema_validate",
  version: "1.0",
  name: "Validate JSON",
  description: "Checks a JSON value against a JSON Schema.",
  whenToUse: "Before using a value from an external source or a model.",
  subCategory: "logic",
  status: "stable",
  icon: "check-square",
  color: "#d97706",
  inputs: [{ name: "json", type: "json", label: "JSON", accepts: ["text"] }],
  outputs: [
    { name: "json", type: "json", label: "JSON" },
    { name: "valid", type: "boolean", label: "Valid" },
    { name: "errors", type: "json", label: "Violations" },
  ],
  params,
  check: ({ schema_definition: definition }) =>
    schemaOf(definition) === undefined
      ? [
          {
            code: "INVALID_SCHEMA",
            path: "schema_definition",
            message: "A JSON Schema is an object, true or false, or JSON text of one.",
          },
        ]
      : [],
  schemas: ({ schema_definition: definition }) => {
    const schema = schemaOf(definition);
    return schema === undefined ? [] : [{ path: "schema_definition", schema }];
  },
  role: "transform",
  placement: "inline",
  needs: ["schemas"],
  work: 40,
  async run(ctx, inputs, { schema_definition: definition, mode }) {
    const schema = schemaOf(definition);
    if (schema === undefined) {
      throw new NodeError("INVALID_SCHEMA", "A JSON Schema is an object, true or false.");
    }
    const check = await ctx.schemas.compile(schema);
    const received = inputs.json("json");
    const document = documentOf(received);
    const violations =
      document === undefined
        ? [{ path: "", message: "The text is not valid JSON." }]
        : check(document);
    if (violations.length > 0 && mode === "fail") {
      const listed = violations
        .slice(0, LISTED_MAX)
        .map(({ path, message }) => `${path === "" ? "the value" : path}: ${message}`);
      const more =
        violations.length > LISTED_MAX ? ` and ${violations.length - LISTED_MAX} more` : "";
      throw new NodeError("JSON_SCHEMA_VIOLATION", `${listed.join("; ")}${more}.`);
    }
    return new Map<string, JsonValue>([
      ["json", document ?? received],
      ["valid", violations.length === 0],
      [
        "errors",
        violations.slice(0, VIOLATIONS_MAX).map(({ path, message }) => ({ path, message })),
      ],
    ]);
  },
});
