import * as z from "zod";
import { outputParameters } from "../../contracts/workflows/node-parameters.ts";
import { defineNode } from "../define-node.ts";

export const outputText = defineNode({
  type: "output/text",
  version: "1.0",
  name: "Text output",
  description: "Returns a text under a key of the result.",
  whenToUse: "To return a text, or a number or boolean as text.",
  subCategory: "values",
  status: "stable",
  icon: "text",
  color: "#16a34a",
  inputs: [{ name: "text", type: "text", label: "Text", accepts: ["number", "boolean"] }],
  outputs: [],
  params: z.strictObject({ ...outputParameters }),
  role: "output",
  placement: "inline",
  work: 1,
  run: (_ctx, inputs) => new Map([["value", inputs.text("text")]]),
});
