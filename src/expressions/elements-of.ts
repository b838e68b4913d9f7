import type { JsonValue } from "../lib/json/exact-json.ts";
import { NodeError } from "../lib/errors/node-error.ts";
import { jsonKind } from "./convert-value.ts";
import { parseJsonPath, readJsonPath } from "./json-path.ts";

/**
 * The list at a path, for an iteration. Throws NodeError `ENUMERATE_NOT_A_LIST`
 * (docs/contract/iteration.md#axes).
 */
export function elementsOf(value: JsonValue, path: string): readonly JsonValue[] {
  const list = readJsonPath(value, parseJsonPath(path));
  if (!Array.isArray(list)) {
    throw new NodeError(
      "ENUMERATE_NOT_A_LIST",
      `The value at "${path}" is ${list === undefined ? "missing" : jsonKind(list)}, not a list. Set the path to the position of the list.`,
    );
  }
  return list as readonly JsonValue[];
}
