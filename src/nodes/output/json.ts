import * as z from "zod";
import { outputParameters } from "../../contracts/workflows/node-parameters.ts";
import { defineNode } from "../define-node.ts";

export const outputJson = defineNode({
  type: "output/json",
  version: "1.0",
  name: "JSON output",
  description: "Returns a JSON value under a key of the result.",
  whenToUse: "To return objects, lists, numbers and booleans.",
  subCategory: "values",
  status: "stable",
  icon: "braces",
  color: "#16a34a",
  inputs: [{ name: "json", type: "json", label: "JSON", accepts: ["number", "boolean"] }],
  outputs: [],
  params: z.strictObject({ ...outputParameters }),
  role: "output",
  placement: "inline",
  work: 1,
  run: (_ctx, inputs) => new Map([["value", inputs.json("json")]]),
});
