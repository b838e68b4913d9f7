import * as z from "zod";
import { inputParameters } from "../../contracts/workflows/node-parameters.ts";
import { defineNode } from "../define-node.ts";

export const inputBoolean = defineNode({
  type: "input/boolean",
  version: "1.0",
  name: "Boolean",
  description: "Yes or no, sent by the caller of the workflow.",
  whenToUse: "For switches that a condition or a calculation reads.",
  subCategory: "values",
  status: "stable",
  icon: "toggle",
  color: "#2563eb",
  inputs: [],
  outputs: [{ name: "boolean", type: "boolean", label: "Boolean" }],
  params: z.strictObject({
    ...inputParameters,
    default: z.boolean().nullish().meta({ title: "Default" }),
  }),
  role: "input",
  inputKind: "boolean",
  work: 1,
  isRequired: ({ required }) => required,
  defaultValue: ({ default: value }) => value ?? undefined,
  parse: (value) =>
    typeof value === "boolean"
      ? { value }
      : { problem: "Must be a boolean: send true or false as the value, without inner quotes." },
});
