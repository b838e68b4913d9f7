import { isJsonObject, type JsonValue } from "../../lib/json/exact-json.ts";
import { plainNumbers } from "./plain-numbers.ts";

/** Like `plainNumbers`, but leaves the parameters of nodes unchanged. */
export function nodeWithPlainNumbers(node: JsonValue): JsonValue {
  if (!isJsonObject(node)) {
    return plainNumbers(node);
  }
  return Object.fromEntries(
    Object.entries(node).map(([key, member]) => [
      key,
      key === "parameters" ? member : plainNumbers(member),
    ]),
  );
}
