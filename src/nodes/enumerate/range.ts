import * as z from "zod";
import { exactNumberField } from "../../contracts/workflows/node-parameters.ts";
import { decimalRange, decimalRangeCount } from "../../expressions/decimal-range.ts";
import { decimalOf } from "../../expressions/exact-decimal.ts";
import { defineNode } from "../define-node.ts";

const params = z.strictObject({
  start: exactNumberField.meta({ title: "Start", description: "The first value." }),
  end: exactNumberField.meta({
    title: "End",
    description: "The last value, if the steps reach it; no value exceeds it.",
  }),
  step: exactNumberField.default(1).meta({
    title: "Step",
    description: "The distance between two values; negative to count down.",
  }),
});

export const enumerateRange = defineNode({
  type: "enumerate/range",
  version: "1.0",
  name: "For each number",
  description: "Runs the following nodes once for each number of a range, in exact decimal steps.",
  whenToUse: "To repeat work a number of times, or over evenly spaced values.",
  subCategory: "iteration",
  status: "stable",
  icon: "repeat",
  color: "#7c3aed",
  inputs: [],
  outputs: [
    { name: "value", type: "number", label: "Value", enumerable: true },
    { name: "index", type: "number", label: "Index, from 0", enumerable: true },
  ],
  params,
  check({ start, end, step }) {
    // Doubles reach 1e308, so each value is a decimal within range.
    if (decimalOf(step).isZero()) {
      return [
        {
          code: "invalid_dynamic_config",
          path: "step",
          message:
            "`step` is 0, so the range would never end. Use 1, or a negative step to count down.",
        },
      ];
    }
    return Number.isSafeInteger(decimalRangeCount(start, end, step))
      ? []
      : [
          {
            code: "invalid_dynamic_config",
            path: "step",
            message: "The range has more values than can be counted. Use a larger step.",
          },
        ];
  },
  role: "enumerator",
  work: 3,
  countItems: (_inputs, { start, end, step }) => decimalRangeCount(start, end, step),
  *enumerate(_inputs, { start, end, step }) {
    let index = 0;
    for (const value of decimalRange(start, end, step)) {
      yield new Map([
        ["value", value],
        ["index", index],
      ]);
      index += 1;
    }
  },
});
