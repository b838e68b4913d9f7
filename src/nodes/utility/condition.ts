import * as z from "zod";
import { jsonField } from "../../contracts/workflows/node-parameters.ts";
import { compareNumbers } from "../../expressions/compare-numbers.ts";
import { jsonKind } from "../../expressions/convert-value.ts";
import { jsonEqual } from "../../expressions/json-equal.ts";
import { parseJsonPath, readJsonPath } from "../../expressions/json-path.ts";
import { jsonPathField } from "../../expressions/json-path-field.ts";
import { linearRegex } from "../../expressions/linear-regex.ts";
import { isJsonNumber, isJsonObject, type JsonValue } from "../../lib/json/exact-json.ts";
import { FileRef } from "../../lib/files/file-ref.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import { defineNode } from "../define-node.ts";
import type { ParameterIssue } from "../define-ports.ts";

const params = z.strictObject({
  operator: z
    .enum([
      "equals",
      "not_equals",
      "gt",
      "gte",
      "lt",
      "lte",
      "contains",
      "matches",
      "is_empty",
      "is_true",
    ])
    .meta({ title: "Operator" }),
  operand: jsonField.optional().meta({
    title: "Operand",
    exposable: true,
    description:
      "What the value is compared with. Text and numbers are never equal. A value that is missing or null equals only null. For `matches`, an RE2 pattern.",
    visible_when: {
      parameter: "operator",
      value: ["equals", "not_equals", "gt", "gte", "lt", "lte", "contains", "matches"],
    },
  }),
  path: jsonPathField.default("$").meta({
    title: "Path",
    description: "The part of the value that is tested; the whole value is passed on.",
  }),
});
type Params = z.output<typeof params>;

function mismatch(operator: string, rule: string, value: JsonValue): NodeError {
  return new NodeError(
    "TYPE_MISMATCH",
    `The operator ${operator} ${rule}, and the tested value is ${jsonKind(value)}.`,
  );
}

/** Compares numbers by exact value and texts by code unit; returns undefined for values of other types. */
function order(operator: string, value: JsonValue, operand: JsonValue): number {
  if (isJsonNumber(value) && isJsonNumber(operand)) {
    return compareNumbers(value, operand);
  }
  if (typeof value === "string" && typeof operand === "string") {
    return value === operand ? 0 : value < operand ? -1 : 1;
  }
  throw mismatch(
    operator,
    `compares ${jsonKind(operand)} only with a value of the same kind`,
    value,
  );
}

function contains(value: JsonValue, operand: JsonValue): boolean {
  if (typeof value === "string") {
    return typeof operand === "string" && value.includes(operand);
  }
  if (Array.isArray(value)) {
    return (value as readonly JsonValue[]).some((element) => jsonEqual(element, operand));
  }
  if (isJsonObject(value)) {
    return typeof operand === "string" && Object.hasOwn(value, operand);
  }
  throw mismatch("contains", "searches text, lists and keys of objects", value);
}

function isEmpty(value: NonNullable<JsonValue>): boolean {
  if (value === "") {
    return true;
  }
  return Array.isArray(value)
    ? value.length === 0
    : isJsonObject(value) && Object.keys(value).length === 0;
}

function matches(value: JsonValue, operand: JsonValue): boolean {
  if (typeof value !== "string") {
    throw mismatch("matches", "tests text", value);
  }
  return typeof operand === "string" && linearRegex(operand).test(value);
}

/**
 * A missing value or `null` is empty, equals only `null` and differs from everything else; every other test of it is
 * false.
 */
function holds({ operator, operand = null }: Params, value: JsonValue | undefined): boolean {
  if (value === undefined || value === null) {
    return (
      operator === "is_empty" ||
      (operator === "equals" && operand === null) ||
      (operator === "not_equals" && operand !== null)
    );
  }
  switch (operator) {
    case "equals":
      return jsonEqual(value, operand);
    case "not_equals":
      return !jsonEqual(value, operand);
    case "gt":
      return order(operator, value, operand) > 0;
    case "gte":
      return order(operator, value, operand) >= 0;
    case "lt":
      return order(operator, value, operand) < 0;
    case "lte":
      return order(operator, value, operand) <= 0;
    case "contains":
      return contains(value, operand);
    case "matches":
      return matches(value, operand);
    case "is_empty":
      return isEmpty(value);
    case "is_true":
      return value === true;
  }
}

function problemOf({ operator, operand }: Params): string | undefined {
  if (operator === "is_empty" || operator === "is_true") {
    return undefined;
  }
  if (operand === undefined) {
    return `The operator ${operator} needs an operand.`;
  }
  if (operator === "matches") {
    if (typeof operand !== "string") {
      return "The operand of matches is a pattern, written as text.";
    }
    try {
      linearRegex(operand);
    } catch (error) {
      const reason = error instanceof Error ? error.message : "it does not parse";
      return `The pattern cannot be used: ${reason}. Patterns follow RE2: no look-around, no back references.`;
    }
  }
  if (["gt", "gte", "lt", "lte"].includes(operator)) {
    return isJsonNumber(operand) || typeof operand === "string"
      ? undefined
      : `The operand of ${operator} is a number or a text.`;
  }
  return undefined;
}

export const utilityCondition = defineNode({
  type: "utility/condition",
  version: "1.1",
  name: "Condition",
  description: "Sends a value to one of two branches.",
  whenToUse: "To run a part of a workflow only if a value meets a condition.",
  subCategory: "logic",
  status: "stable",
  icon: "git-branch",
  color: "#d97706",
  inputs: [{ name: "value", type: "any", label: "Value" }],
  outputs: [
    { name: "true", type: "any", typeOf: "value", optional: true, label: "If it holds" },
    { name: "false", type: "any", typeOf: "value", optional: true, label: "Otherwise" },
  ],
  params,
  check(parameters): readonly ParameterIssue[] {
    const problem = problemOf(parameters);
    return problem === undefined
      ? []
      : [{ code: "INVALID_PARAMETER", path: "operand", message: problem }];
  },
  role: "transform",
  placement: "inline",
  work: ({ operator }) => (operator === "matches" ? 10 : 3),
  run(_ctx, inputs, parameters) {
    const value = inputs.get("value") ?? null;
    if (value instanceof FileRef && parameters.operator !== "is_empty") {
      throw new NodeError(
        "TYPE_MISMATCH",
        `The operator ${parameters.operator} cannot test a file. Test a text, a number or JSON instead.`,
      );
    }
    const branch =
      !(value instanceof FileRef) &&
      holds(parameters, readJsonPath(value, parseJsonPath(parameters.path)));
    return new Map([[String(branch), value]]);
  },
});
