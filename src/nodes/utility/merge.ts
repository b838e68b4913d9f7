import * as z from "zod";
import { defineNode } from "../define-node.ts";

export const utilityMerge = defineNode({
  type: "utility/merge",
  version: "1.0",
  name: "Merge",
  description: "Selects the first value that is present, in connection order.",
  whenToUse: "To join branches, or to provide a value for an optional input.",
  subCategory: "logic",
  status: "stable",
  icon: "git-merge",
  color: "#d97706",
  inputs: [
    {
      name: "inputs",
      type: "any",
      label: "Values",
      list: { minCount: 1, maxCount: 100, compact: true },
    },
  ],
  outputs: [{ name: "value", type: "any", typeOf: "inputs", label: "Value" }],
  params: z.strictObject({
    on_failed: z.enum(["block", "next"]).default("block").meta({
      title: "On a failed value",
      description: "`block` stops at a failed value, `next` skips it.",
    }),
  }),
  role: "merge",
  work: 2,
  onFailed: ({ on_failed: onFailed }) => onFailed,
});
