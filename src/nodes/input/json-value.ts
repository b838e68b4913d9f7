import * as z from "zod";
import {
  inputParameters,
  jsonField,
  jsonSchemaField,
} from "../../contracts/workflows/node-parameters.ts";
import { jsonValueProblem } from "../../lib/json/value-depth.ts";
import { defineNode } from "../define-node.ts";

export const inputJsonValue = defineNode({
  type: "input/json_value",
  version: "1.0",
  name: "JSON value",
  description: "One structured value that the caller sends, without iteration.",
  whenToUse: "For an object or a list that stays together. To run over a list use input/json.",
  subCategory: "values",
  status: "stable",
  icon: "braces",
  color: "#2563eb",
  inputs: [],
  outputs: [{ name: "json", type: "json", label: "JSON" }],
  params: z.strictObject({
    ...inputParameters,
    default: jsonField.nullish().meta({ title: "Default" }),
    schema: jsonSchemaField.optional().meta({
      title: "Schema",
      description:
        "A JSON Schema (2020-12) that a submitted value must match; other values are rejected.",
      advanced: true,
    }),
  }),
  schemas: ({ schema }) => (schema === undefined ? [] : [{ path: "schema", schema }]),
  role: "input",
  inputKind: "json",
  work: 2,
  isRequired: ({ required }) => required,
  defaultValue: ({ default: value }) => value ?? undefined,
  parse: (value) => {
    const problem = jsonValueProblem(value);
    return problem === undefined ? { value } : { problem: `Cannot be used: ${problem}.` };
  },
});
