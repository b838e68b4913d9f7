import * as z from "zod";
import { aggregateParameters } from "../../contracts/workflows/node-parameters.ts";
import { TextBuilder } from "../../expressions/text-builder.ts";
import { defineNode } from "../define-node.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

export const aggregateText = defineNode({
  type: "aggregate/text",
  version: "1.0",
  name: "Join texts",
  description: "Joins the texts of an iteration into one, in index order.",
  whenToUse:
    "To end an iteration with one text, for example a list with one line for each element.",
  subCategory: "iteration",
  status: "stable",
  icon: "align-left",
  color: "#7c3aed",
  inputs: [{ name: "text", type: "text", label: "Text", accepts: ["number", "boolean"] }],
  outputs: [{ name: "text", type: "text", label: "Text" }],
  params: z.strictObject({
    separator: z
      .string()
      .max(LIMITS.separator.value)
      .default("\n")
      .meta({ title: "Separator", description: "Separator between two texts." }),
    ...aggregateParameters,
  }),
  role: "aggregator",
  work: 1,
  collapse: ({ collapse }) => collapse,
  onFailedItems: ({ on_failed_items: onFailedItems }) => onFailedItems,
  aggregate({ separator }) {
    const text = new TextBuilder();
    let isFirst = true;
    return {
      add(inputs) {
        if (!isFirst) {
          text.add(separator);
        }
        isFirst = false;
        text.add(inputs.text("text"));
      },
      finish: () => new Map([["text", text.toString()]]),
    };
  },
});
