/** Parts of a compiled text formula, and their text for the fields of one row. */
import type { Template } from "liquidjs";
import { canonicalDecimal } from "../lib/json/canonical-decimal.ts";
import {
  isJsonNumber,
  isJsonObject,
  type JsonValue,
  numberToken,
  stringifyJson,
} from "../lib/json/exact-json.ts";
import { NodeError } from "../lib/errors/node-error.ts";
import type { VariableLookup } from "./evaluate-expression.ts";
import { textFormulaLiquid } from "./text-filters.ts";

/** A field that the formula reads, bound to a generated name for Liquid. */
export interface Binding {
  readonly path: readonly string[];
  readonly isOptional: boolean;
  /** A list filter reads the field: a list stays a list and is not converted to text first. */
  isListInput: boolean;
}

export type Segment =
  | { readonly kind: "literal"; readonly text: string }
  | { readonly kind: "field"; readonly binding: Binding }
  | {
      readonly kind: "liquid";
      readonly templates: Template[];
      readonly bindings: ReadonlyMap<string, Binding>;
      readonly texts: ReadonlyMap<string, string>;
    };

/** Throws NodeError `FORMULA_ERROR`. */
export function renderSegment(segment: Segment, lookup: VariableLookup): string {
  if (segment.kind === "literal") {
    return segment.text;
  }
  if (segment.kind === "field") {
    return fieldText(segment.binding, lookup) ?? "";
  }
  const scope: Record<string, unknown> = Object.fromEntries(segment.texts);
  for (const [name, binding] of segment.bindings) {
    const value = fieldValue(binding, lookup);
    scope[name] =
      value === undefined
        ? undefined
        : binding.isListInput && Array.isArray(value)
          ? (value as readonly JsonValue[]).map(listElement)
          : textOf(value);
  }
  try {
    return String(textFormulaLiquid().renderSync(segment.templates, scope));
  } catch (error) {
    throw formulaError(error);
  }
}

function formulaError(error: unknown): NodeError {
  const original = (error as { originalError?: unknown }).originalError ?? error;
  if (original instanceof NodeError) {
    return original;
  }
  const limit = original instanceof Error && /limit exceeded/.test(original.message);
  return new NodeError(
    "FORMULA_ERROR",
    limit
      ? "The formula creates too much text."
      : "A filter of the formula cannot work on this value.",
    { cause: error },
  );
}

function fieldText(binding: Binding, lookup: VariableLookup): string | undefined {
  const value = fieldValue(binding, lookup);
  return value === undefined ? undefined : textOf(value);
}

/** A field; undefined if it is missing and may be missing. Own properties only. */
function fieldValue({ path, isOptional }: Binding, lookup: VariableLookup): JsonValue | undefined {
  const [root = "", ...rest] = path;
  let value = lookup(root);
  for (const name of rest) {
    value =
      value !== undefined && isJsonObject(value) && Object.hasOwn(value, name)
        ? value[name]
        : undefined;
  }
  if (value === undefined && !isOptional) {
    throw new NodeError("FORMULA_ERROR", `There is no field "${path.join(".")}"`);
  }
  return value;
}

/**
 * An element of a list as Liquid's filters receive it: a number if a double has the same text, so
 * that `sort` compares numbers, else text.
 */
function listElement(value: JsonValue): unknown {
  if (isJsonNumber(value)) {
    const text = canonicalDecimal(numberToken(value));
    return String(Number(text)) === text ? Number(text) : text;
  }
  if (Array.isArray(value)) {
    return (value as readonly JsonValue[]).map(listElement);
  }
  return isJsonObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, listElement(inner)]))
    : value;
}

/** A JSON value as text: null is empty, numbers are canonical, lists and objects are JSON. */
function textOf(value: JsonValue): string {
  if (typeof value === "string") {
    return value;
  }
  if (value === null) {
    return "";
  }
  return isJsonNumber(value) ? canonicalDecimal(numberToken(value)) : stringifyJson(value);
}
