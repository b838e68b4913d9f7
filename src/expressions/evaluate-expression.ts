import { ExactNumber, isJsonObject, type JsonValue } from "../lib/json/exact-json.ts";
import { NodeError } from "../lib/errors/node-error.ts";
import type { NodeErrorCode } from "../lib/errors/node-error-guides.ts";
import { jsonKind } from "./convert-value.ts";
import { decimalOf, ExactDecimal, jsonNumberOf, withinRange } from "./exact-decimal.ts";
import type { ArithmeticOperator, CompareOperator, ExpressionNode } from "./expression-ast.ts";
import { characterAt } from "./formula-syntax-error.ts";
import { LIMITS } from "../lib/limits/limits-table.ts";

/**
 * Maximum number of steps in one evaluation. An inline node has no clock, so this bounds its time:
 * about a second in the worst case.
 */
const OPERATIONS_MAX = LIMITS.expression_operations.value;

/**
 * Values during an evaluation: safe integers are doubles, which are exact and fast; other numbers
 * are decimals.
 */
type Value = JsonValue | ExactDecimal;
type Numeric = number | ExactDecimal;

/** Returns the value of a variable; undefined if there is no variable of that name. */
export type VariableLookup = (name: string) => JsonValue | undefined;

/**
 * Evaluates a parsed expression to a number or a boolean. Pure; exact decimals (34 digits, halves
 * are rounded away from zero). Throws NodeError with a `CALC_*` code and the 1-based position of
 * the character.
 */
export function evaluateExpression(
  source: string,
  node: ExpressionNode,
  lookup: VariableLookup,
): number | ExactNumber | boolean {
  return new Evaluation(source, lookup).result(node);
}

class Evaluation {
  readonly #source: string;
  readonly #lookup: VariableLookup;
  #operations = 0;

  constructor(source: string, lookup: VariableLookup) {
    this.#source = source;
    this.#lookup = lookup;
  }

  result(node: ExpressionNode): number | ExactNumber | boolean {
    const value = this.#value(node);
    if (typeof value === "boolean") {
      return value;
    }
    const number = this.#numeric(value, node.at);
    if (typeof number === "number") {
      return number === 0 ? 0 : number; // minus zero has no decimal notation
    }
    return jsonNumberOf(number);
  }

  #fail(code: NodeErrorCode, problem: string, at: number): NodeError {
    return new NodeError(code, `${problem} (character ${characterAt(this.#source, at)})`);
  }

  #count(operations: number, at: number): void {
    this.#operations += operations;
    if (this.#operations > OPERATIONS_MAX) {
      throw this.#fail(
        "CALC_OPERATION_LIMIT",
        `The expression needs more than ${OPERATIONS_MAX} steps on these values; aggregate or split the list first`,
        at,
      );
    }
  }

  #value(node: ExpressionNode): Value {
    this.#count(1, node.at);
    switch (node.kind) {
      case "literal":
        return node.value;
      case "variable": {
        const value = this.#lookup(node.name);
        if (value === undefined) {
          throw this.#fail("CALC_MISSING_FIELD", `There is no value named "${node.name}"`, node.at);
        }
        return value;
      }
      case "field": {
        let value = this.#value(node.base);
        for (const { name, at } of node.names) {
          value = this.#field(value, name, at);
        }
        return value;
      }
      case "plus":
        return this.#numeric(this.#value(node.operand), node.at);
      case "negate": {
        const value = this.#numeric(this.#value(node.operand), node.at);
        return typeof value === "number" ? -value : value.negated();
      }
      case "not":
        return !this.#boolean(this.#value(node.operand), node.operand.at);
      case "chain": {
        let left = this.#numeric(this.#value(node.first), node.first.at);
        for (const { operator, right, at } of node.rest) {
          left = this.#arithmetic(operator, left, this.#numeric(this.#value(right), right.at), at);
        }
        return left;
      }
      case "logic": {
        const stop = node.operator === "or";
        for (const operand of node.operands) {
          if (this.#boolean(this.#value(operand), operand.at) === stop) {
            return stop;
          }
        }
        return !stop;
      }
      case "compare":
        return this.#compare(
          node.operator,
          this.#value(node.left),
          this.#value(node.right),
          node.at,
        );
      case "call":
        return this.#call(node);
    }
  }

  /**
   * A field of an object; for a list, the list of that field in each element. Own properties only.
   */
  #field(value: Value, name: string, at: number): JsonValue {
    this.#count(1, at);
    if (Array.isArray(value)) {
      this.#count(value.length, at);
      return (value as readonly JsonValue[]).map((element) => this.#field(element, name, at));
    }
    if (value instanceof ExactDecimal || !isJsonObject(value)) {
      throw this.#fail(
        "CALC_MISSING_FIELD",
        `The field "${name}" is read from ${kindOf(value)}, which has no fields`,
        at,
      );
    }
    const field = Object.hasOwn(value, name) ? value[name] : undefined;
    if (field === undefined) {
      throw this.#fail("CALC_MISSING_FIELD", `The field "${name}" is missing`, at);
    }
    return field;
  }

  #numeric(value: Value, at: number): Numeric {
    if (value instanceof ExactDecimal) {
      return value;
    }
    if (typeof value === "number") {
      return Number.isSafeInteger(value) ? value : decimalOf(value);
    }
    if (value instanceof ExactNumber) {
      return decimalOf(value);
    }
    if (typeof value === "boolean") {
      throw this.#fail(
        "CALC_TYPE_MISMATCH",
        "A number is expected here, but the value is a boolean",
        at,
      );
    }
    throw this.#fail(
      "CALC_NOT_A_NUMBER",
      `A number is expected, but the value is ${kindOf(value)}; text is never converted to a number`,
      at,
    );
  }

  #boolean(value: Value, at: number): boolean {
    if (typeof value !== "boolean") {
      throw this.#fail(
        "CALC_TYPE_MISMATCH",
        `A boolean is expected, but the value is ${kindOf(value)}; write a comparison such as x > 0`,
        at,
      );
    }
    return value;
  }

  #arithmetic(operator: ArithmeticOperator, left: Numeric, right: Numeric, at: number): Numeric {
    this.#count(1, at);
    if (typeof left === "number" && typeof right === "number" && operator !== "/") {
      const quick =
        operator === "+" ? left + right : operator === "-" ? left - right : left * right;
      if (Number.isSafeInteger(quick)) {
        return quick;
      }
    }
    const a = asDecimal(left);
    const b = asDecimal(right);
    switch (operator) {
      case "+":
        return withinRange(a.plus(b));
      case "-":
        return withinRange(a.minus(b));
      case "*":
        return withinRange(a.times(b));
      case "/":
        if (b.isZero()) {
          throw this.#fail("CALC_DIVISION_BY_ZERO", "Division by zero", at);
        }
        return withinRange(a.dividedBy(b));
    }
  }

  #compare(operator: CompareOperator, left: Value, right: Value, at: number): boolean {
    if (typeof left === "boolean" || typeof right === "boolean") {
      const isEquality = operator === "==" || operator === "!=";
      if (!isEquality || typeof left !== typeof right) {
        throw this.#fail(
          "CALC_TYPE_MISMATCH",
          isEquality
            ? "A boolean is compared with a value that is not a boolean"
            : `Booleans have no order, so "${operator}" cannot compare them`,
          at,
        );
      }
      return (left === right) === (operator === "==");
    }
    const order = compareNumbers(this.#numeric(left, at), this.#numeric(right, at));
    switch (operator) {
      case "==":
        return order === 0;
      case "!=":
        return order !== 0;
      case "<":
        return order < 0;
      case "<=":
        return order <= 0;
      case ">":
        return order > 0;
      case ">=":
        return order >= 0;
    }
  }

  #call(node: Extract<ExpressionNode, { kind: "call" }>): Value {
    const [first, second, third] = node.args;
    if (first === undefined) {
      throw this.#fail("CALC_EMPTY_LIST", `${node.name}() has no arguments to work on`, node.at);
    }
    switch (node.name) {
      case "if": {
        const taken = this.#boolean(this.#value(first), first.at) ? second : third;
        return this.#value(taken as ExpressionNode);
      }
      case "abs": {
        const value = this.#numeric(this.#value(first), first.at);
        return typeof value === "number" ? Math.abs(value) : value.abs();
      }
      case "floor":
      case "ceil": {
        const value = this.#numeric(this.#value(first), first.at);
        if (typeof value === "number") {
          return value;
        }
        return node.name === "floor" ? value.floor() : value.ceil();
      }
      case "round":
        return this.#round(
          this.#numeric(this.#value(first), first.at),
          second === undefined ? 0 : this.#numeric(this.#value(second), second.at),
          (second ?? first).at,
        );
      case "count":
      case "sum":
      case "avg":
      case "min":
      case "max":
        return this.#overList(node.name, node.args, node.at);
    }
  }

  #round(value: Numeric, places: Numeric, at: number): Numeric {
    if (typeof places !== "number" || Math.abs(places) > 1000) {
      throw this.#fail(
        "CALC_TYPE_MISMATCH",
        "The second argument of round() must be a whole number from -1000 to 1000",
        at,
      );
    }
    if (typeof value === "number" && places >= 0) {
      return value;
    }
    const decimal = asDecimal(value);
    if (places >= 0) {
      return decimal.toDecimalPlaces(places, ExactDecimal.ROUND_HALF_UP);
    }
    // A shift by a power of ten changes no digit, so both steps around the rounding are exact.
    return withinRange(decimal.times(`1e${places}`).round().times(`1e${-places}`));
  }

  #overList(
    name: "count" | "sum" | "avg" | "min" | "max",
    args: readonly ExpressionNode[],
    at: number,
  ): Numeric {
    const values = args.map((arg) => this.#value(arg));
    const only = values[0];
    const list =
      values.length === 1 && Array.isArray(only) ? (only as readonly JsonValue[]) : values;
    if (name === "count") {
      return list.length;
    }
    if (list.length === 0) {
      throw this.#fail(
        "CALC_EMPTY_LIST",
        `${name}() of an empty list has no value; guard it with if(count(…) > 0, …, 0)`,
        at,
      );
    }
    this.#count(list.length, at);
    let result = this.#numeric(list[0] as Value, at);
    for (let index = 1; index < list.length; index += 1) {
      const value = this.#numeric(list[index] as Value, at);
      if (name === "sum" || name === "avg") {
        result = this.#arithmetic("+", result, value, at);
      } else {
        const order = compareNumbers(value, result);
        result = (name === "min" ? order < 0 : order > 0) ? value : result;
      }
    }
    return name === "avg" ? this.#arithmetic("/", result, list.length, at) : result;
  }
}

function asDecimal(value: Numeric): ExactDecimal {
  return typeof value === "number" ? new ExactDecimal(value) : value;
}

function compareNumbers(left: Numeric, right: Numeric): number {
  if (typeof left === "number" && typeof right === "number") {
    return left - right;
  }
  return asDecimal(left).comparedTo(asDecimal(right));
}

function kindOf(value: Value): string {
  return value instanceof ExactDecimal ? "a number" : jsonKind(value);
}
