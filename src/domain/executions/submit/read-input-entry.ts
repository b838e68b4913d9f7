import type { FieldError } from "../../../lib/errors/errors.ts";
import {
  isJsonNumber,
  isJsonObject,
  type JsonValue,
  parseJson,
  stringifyJson,
} from "../../../lib/json/exact-json.ts";
import { isJsonTextDeeperThan } from "../../../lib/json/json-text-depth.ts";
import { jsonValueProblem, VALUE_DEPTH_MAX } from "../../../lib/json/value-depth.ts";

const SHOWN_CHARS_MAX = 60;

/**
 * The content of one input entry: the value in the JSON-encoded string, a stored file, or the
 * problem with it.
 */
export type InputEntry =
  | { readonly value: JsonValue }
  | { readonly assetPath: string }
  | { readonly error: FieldError };

/**
 * Parses an input entry (docs/contract/executions.md#inputs): an object with exactly one of
 * `value`, a string that contains JSON, and `asset_path`. `field` is its JSON path and `kind` its
 * accepted type, both for messages.
 */
export function readInputEntry(field: string, entry: JsonValue, kind: string): InputEntry {
  if (!isJsonObject(entry)) {
    return wrong(
      field,
      `An input must be an object with a JSON-encoded value. ${howToSend(entry, kind)}`,
    );
  }
  const unknown = Object.keys(entry).find((name) => name !== "value" && name !== "asset_path");
  if (unknown !== undefined) {
    return wrong(
      field,
      `"${shorten(unknown)}" is not a member of an input. Send exactly one of value and asset_path.`,
    );
  }
  const hasValue = Object.hasOwn(entry, "value");
  const hasPath = Object.hasOwn(entry, "asset_path");
  if (hasValue === hasPath) {
    return wrong(
      field,
      hasValue
        ? "The input has both value and asset_path. Send exactly one of them."
        : 'The input has neither value nor asset_path. Send {"value": "…"} with the JSON-encoded input.',
    );
  }
  if (hasPath) {
    const path = entry["asset_path"];
    return typeof path === "string" && path !== ""
      ? { assetPath: path }
      : wrong(
          `${field}.asset_path`,
          `asset_path must be the path that an upload returned, as text, but is ${show(path)}.`,
        );
  }
  return readValue(field, entry["value"] as JsonValue, kind);
}

/** The double-encoding rule: a string with JSON as its content. */
function readValue(field: string, encoded: JsonValue, kind: string): InputEntry {
  if (typeof encoded !== "string") {
    return wrong(
      `${field}.value`,
      `value must be the input serialized to JSON and carried as a string. ${howToSend(encoded, kind)}`,
    );
  }
  if (isJsonTextDeeperThan(encoded, VALUE_DEPTH_MAX)) {
    return wrong(
      `${field}.value`,
      `The value nests deeper than ${String(VALUE_DEPTH_MAX)} levels. Flatten it.`,
    );
  }
  let value: JsonValue;
  try {
    value = parseJson(encoded);
  } catch {
    return wrong(
      `${field}.value`,
      `The value ${show(encoded)} is not JSON. ${howToSend(encoded, kind)}`,
    );
  }
  const problem = jsonValueProblem(value);
  return problem === undefined
    ? { value }
    : wrong(`${field}.value`, `The value cannot be used: ${problem}.`);
}

/**
 * The form that would be accepted instead of `meant`: a suggestion must not be rejected in turn.
 */
function howToSend(meant: JsonValue, kind: string): string {
  if (kind === "number" && !isJsonNumber(meant)) {
    return `Send a JSON number, its digits alone: ${show({ value: "12.5" })}.`;
  }
  if (kind === "boolean" && typeof meant !== "boolean") {
    return `Send ${show({ value: "true" })} or ${show({ value: "false" })}.`;
  }
  return typeof meant === "string"
    ? `Send a text with its own quotes: ${show({ value: JSON.stringify(meant) })}.`
    : `Send ${show({ value: stringifyJson(meant) })}.`;
}

function wrong(field: string, message: string): InputEntry {
  return { error: { field, message } };
}

function show(value: unknown): string {
  return shorten(JSON.stringify(value), 2 * SHOWN_CHARS_MAX);
}

function shorten(text: string, charsMax = SHOWN_CHARS_MAX): string {
  return text.length > charsMax ? `${text.slice(0, charsMax)}…` : text;
}
