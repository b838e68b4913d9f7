import { canonicalJson } from "../../lib/json/canonical-json.ts";
import { decimalParts } from "../../lib/json/decimal-token.ts";
import { isJsonNumber, type JsonValue, numberToken } from "../../lib/json/exact-json.ts";
import type { Condition, FieldCondition } from "../document/condition.ts";
import type { FieldType } from "../document/field.ts";
import { readDate } from "./read-date.ts";

/** The names that an element can read. */
export interface ConditionScope {
  /** The value given, else the default, else null; `field` is undefined for a name without a field. */
  lookup(code: string): {
    readonly value: JsonValue | null;
    readonly field: { readonly placeholderType: FieldType } | undefined;
  };
}

/** Whether an element with this condition is shown (docs/contract/templates.md#values). */
export function isTrue(condition: Condition, scope: ConditionScope): boolean {
  if ("all" in condition) {
    return condition.all.every((part) => isTrue(part, scope));
  }
  if ("any" in condition) {
    return condition.any.some((part) => isTrue(part, scope));
  }
  if ("not" in condition) {
    return !isTrue(condition.not, scope);
  }
  return holds(condition, scope);
}

function holds({ field: code, operator, value }: FieldCondition, scope: ConditionScope): boolean {
  const found = scope.lookup(code);
  const type = found.field?.placeholderType;
  const left = found.value;
  const right = value ?? null;
  const order = () => compare(left, right, type);
  switch (operator) {
    case "equals":
      return isEqual(left, right, type);
    case "not_equals":
      return !isEqual(left, right, type);
    case "gt":
      return (order() ?? 0) > 0;
    case "gte":
      return (order() ?? -1) >= 0;
    case "lt":
      return (order() ?? 0) < 0;
    case "lte":
      return (order() ?? 1) <= 0;
    case "contains":
      return contains(left, right);
    case "in":
      return (
        Array.isArray(right) &&
        (right as readonly JsonValue[]).some((one) => isEqual(left, one, type))
      );
    case "is_empty":
      return isEmpty(left);
    case "is_not_empty":
      return !isEmpty(left);
    case "is_true":
      return left === true;
    case "is_false":
      return left === false;
  }
}

function isEmpty(value: JsonValue): boolean {
  return value === null || value === "" || (Array.isArray(value) && value.length === 0);
}

function contains(whole: JsonValue, part: JsonValue): boolean {
  if (typeof whole === "string") {
    return typeof part === "string" && whole.includes(part);
  }
  return (
    Array.isArray(whole) &&
    (whole as readonly JsonValue[]).some((item) => isEqual(item, part, undefined))
  );
}

function isEqual(left: JsonValue, right: JsonValue, type: FieldType | undefined): boolean {
  const order = compare(left, right, type);
  if (order !== undefined) {
    return order === 0;
  }
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) {
    return left === right && typeof left !== "string";
  }
  return (
    !isJsonNumber(left) && !isJsonNumber(right) && canonicalJson(left) === canonicalJson(right)
  );
}

/** Below, at or above 0; undefined for values of different types, and of types without an order. */
function compare(
  left: JsonValue,
  right: JsonValue,
  type: FieldType | undefined,
): number | undefined {
  if (isJsonNumber(left) && isJsonNumber(right)) {
    return compareDecimals(numberToken(left), numberToken(right));
  }
  if (typeof left !== "string" || typeof right !== "string") {
    return undefined;
  }
  switch (type) {
    case "date": {
      const [a, b] = [readDate(left), readDate(right)];
      return a === undefined || b === undefined ? undefined : a.ms - b.ms;
    }
    case "color":
      return compareTexts(left.toLowerCase(), right.toLowerCase());
    default:
      return compareTexts(left, right);
  }
}

/** By code points: a pair of surrogates stands for one that is higher than those of single units. */
function compareTexts(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let i = 0; i < length; i += 1) {
    const [a, b] = [left.charCodeAt(i), right.charCodeAt(i)];
    if (a !== b) {
      return isSurrogate(a) === isSurrogate(b) ? a - b : isSurrogate(a) ? 1 : -1;
    }
  }
  return left.length - right.length;
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}

/** Two numbers by all of their digits, whatever their notation. */
function compareDecimals(left: string, right: string): number {
  const [a, b] = [decimalParts(left), decimalParts(right)];
  const [signA, signB] = [signOf(a), signOf(b)];
  if (signA !== signB || signA === 0) {
    return signA - signB;
  }
  const order =
    a.exponent === b.exponent
      ? a.digits === b.digits
        ? 0
        : a.digits < b.digits
          ? -1
          : 1
      : a.exponent - b.exponent;
  return signA * order;
}

function signOf({ negative, digits }: { negative: boolean; digits: string }): number {
  return digits === "" ? 0 : negative ? -1 : 1;
}
