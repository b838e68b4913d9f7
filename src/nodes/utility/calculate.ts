import * as z from "zod";
import { compileExpression } from "../../expressions/compile-expression.ts";
import { FormulaSyntaxError } from "../../expressions/formula-syntax-error.ts";
import type { JsonValue } from "../../lib/json/exact-json.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import { defineNode } from "../define-node.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

const VARIABLES_MAX = LIMITS.variables.value;

const expressionField = z.string().superRefine((source, context) => {
  try {
    const { variables } = compileExpression(source);
    if (variables.length > VARIABLES_MAX) {
      context.addIssue({
        code: "custom",
        message: `The expression has ${variables.length} variables and must not have more than ${VARIABLES_MAX}. Put them in one JSON value and read its fields.`,
      });
    }
  } catch (error) {
    if (!(error instanceof FormulaSyntaxError)) {
      throw error;
    }
    context.addIssue({ code: "custom", message: `${error.message}.` });
  }
});

export const utilityCalculate = defineNode({
  type: "utility/calculate",
  version: "1.0",
  name: "Calculate",
  description: "Evaluates an expression in exact decimal arithmetic.",
  whenToUse:
    "For totals, prices, rounding and comparisons: round(sum(items.price) * 1.19, 2). Text is never read as a number.",
  subCategory: "logic",
  status: "stable",
  icon: "calculator",
  color: "#d97706",
  inputs: [],
  outputs: [{ name: "result", type: "number", label: "Result" }],
  params: z.strictObject({
    expression: expressionField.meta({
      title: "Expression",
      description:
        "Numbers, variables, + - * /, comparisons, and, or, not, and round, floor, ceil, abs, min, max, sum, count, avg, if.",
    }),
  }),
  dynamicPorts: {
    descriptors: [
      {
        derivation: "expression_variables",
        direction: "input",
        parameter: "expression",
        port_type: "json",
        max_count: VARIABLES_MAX,
      },
    ],
    resolve({ expression }) {
      const { variables, kind } = compileExpression(expression);
      return {
        inputs: variables.map((name) => ({ name, type: "json" as const })),
        ...(kind === "number"
          ? {}
          : {
              without: ["result"],
              outputs: [{ name: "result", type: "any" as const, label: "Result" }],
            }),
      };
    },
  },
  check({ expression }, connected) {
    const ports = new Set(connected.map(({ port }) => port));
    return compileExpression(expression)
      .variables.filter((name) => !ports.has(name))
      .map((name) => ({
        code: "CALC_UNCONNECTED_VARIABLE",
        path: "expression",
        message: `Nothing is connected to the variable "${name}". Connect a number, boolean or json output to the input "${name}".`,
      }));
  },
  role: "transform",
  placement: "inline",
  work: ({ expression }) => 4 + Math.ceil(expression.length / 10),
  run(_ctx, inputs, { expression }) {
    const compiled = compileExpression(expression);
    // Only ports of a file type hold files, and these are json ports.
    const result = compiled.evaluate((name) => inputs.get(name) as JsonValue | undefined);
    if (compiled.kind === "number" && typeof result === "boolean") {
      throw new NodeError(
        "CALC_TYPE_MISMATCH",
        `The result is ${result}, and a number is expected. Write a comparison, such as x == true, to give a boolean.`,
      );
    }
    return new Map([["result", result]]);
  },
});
