import * as z from "zod";
import { exactNumberField, inputParameters } from "../../contracts/workflows/node-parameters.ts";
import { compareNumbers } from "../../expressions/compare-numbers.ts";
import { isMultipleOf } from "../../expressions/is-multiple-of.ts";
import {
  ExactNumber,
  isJsonNumber,
  type JsonValue,
  numberToken,
} from "../../lib/json/exact-json.ts";
import { defineNode } from "../define-node.ts";

const params = z
  .strictObject({
    ...inputParameters,
    default: exactNumberField.nullish().meta({ title: "Default" }),
    min: exactNumberField.nullish().meta({ title: "Smallest" }),
    max: exactNumberField.nullish().meta({ title: "Largest" }),
    step: exactNumberField
      .nullish()
      .meta({ title: "Step", description: "Distance between values, from `min` or 0 on." }),
  })
  .refine(({ min, max }) => min == null || max == null || compareNumbers(min, max) <= 0, {
    path: ["min"],
    message: "`min` is greater than `max`; no number could be sent.",
  })
  .refine(({ step }) => step == null || compareNumbers(step, 0) > 0, {
    path: ["step"],
    message: "`step` must be greater than 0.",
  });

function parse(
  value: JsonValue,
  { min, max, step }: z.output<typeof params>,
): { value: JsonValue } | { problem: string } {
  if (!isJsonNumber(value)) {
    return { problem: "Must be a number: send its digits as the value, for example 12.5." };
  }
  if (!Number.isFinite(value instanceof ExactNumber ? value.toNumber() : value)) {
    return { problem: "Must be a finite number; this one is beyond 1.8e308." };
  }
  if (min != null && compareNumbers(value, min) < 0) {
    return { problem: `Must be at least ${numberToken(min)}.` };
  }
  if (max != null && compareNumbers(value, max) > 0) {
    return { problem: `Must be at most ${numberToken(max)}.` };
  }
  if (step != null && !isMultipleOf(value, step, min ?? 0)) {
    const from = min == null ? "0" : numberToken(min);
    return { problem: `Must be ${from} plus a whole number of steps of ${numberToken(step)}.` };
  }
  return { value };
}

export const inputNumber = defineNode({
  type: "input/number",
  version: "1.0",
  name: "Number",
  description: "A finite number that the caller of the workflow sends. Its digits are kept.",
  whenToUse: "For amounts, sizes and counts.",
  subCategory: "values",
  status: "stable",
  icon: "hash",
  color: "#2563eb",
  inputs: [],
  outputs: [{ name: "number", type: "number", label: "Number" }],
  params,
  role: "input",
  inputKind: "number",
  work: 1,
  isRequired: ({ required }) => required,
  defaultValue: ({ default: value }) => value ?? undefined,
  parse,
});
