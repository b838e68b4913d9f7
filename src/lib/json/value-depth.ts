import { ExactNumber, type JsonValue } from "./exact-json.ts";
import { LIMITS } from "../limits/limits-table.ts";

/** Deeper values are rejected when they enter, so that no later recursion can exhaust the stack. */
export const VALUE_DEPTH_MAX = LIMITS.value_depth.value;

/**
 * The reason why a JSON value cannot enter a run, undefined if it can: it nests too deep, or a text
 * in it contains half of a surrogate pair, which no file or response can carry. Iterative, and
 * therefore safe for any depth.
 */
export function jsonValueProblem(value: JsonValue): string | undefined {
  let level: readonly JsonValue[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    const next: JsonValue[] = [];
    for (const entry of level) {
      if (typeof entry === "string" && !entry.isWellFormed()) {
        return "it contains half of a surrogate pair; send whole Unicode characters";
      }
      if (typeof entry !== "object" || entry === null || entry instanceof ExactNumber) {
        continue;
      }
      if (depth >= VALUE_DEPTH_MAX) {
        return `it nests deeper than ${VALUE_DEPTH_MAX} levels; flatten it`;
      }
      if (Array.isArray(entry)) {
        for (const child of entry as readonly JsonValue[]) {
          next.push(child);
        }
        continue;
      }
      for (const [key, child] of Object.entries(entry)) {
        if (!key.isWellFormed()) {
          return "a key in it contains half of a surrogate pair; send whole Unicode characters";
        }
        next.push(child as JsonValue);
      }
    }
    level = next;
  }
  return undefined;
}
