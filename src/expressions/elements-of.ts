import type { JsonValue } from "../lib/exact-json.ts";
import { NodeError } from "../lib/node-error.ts";
import { jsonKind } from "./convert-value.ts";
import { parseJsonPath, readJsonPath } from "./json-path.ts";

/** The list at a path, to run over. Throws NodeError `ENUMERATE_NOT_A_LIST` (docs/contract/iteration.md#axes). */
export function elementsOf(value: JsonValue, path: string): readonly JsonValue[] {
  const list = readJsonPath(value, parseJsonPath(path));
  if (!Array.isArray(list)) {
    throw new NodeError(
      "ENUMERATE_NOT_A_LIST",
      `There is ${list === undefined ? "nothing" : jsonKind(list)} at "${path}" instead of a list. Set the path to the position of the list.`,
    );
  }
  return list as readonly JsonValue[];
}
