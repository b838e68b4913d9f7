import { isJsonObject, type JsonValue, parseJson } from "../../lib/json/exact-json.ts";
import { Definition } from "./definition.ts";
import { nodeWithPlainNumbers } from "./node-with-plain-numbers.ts";
import { plainNumbers } from "./plain-numbers.ts";

/**
 * Parses the text of a stored definition. Numbers in node parameters keep their source text; all
 * others are doubles. Throws SyntaxError or ZodError if the text is not a definition.
 */
export function parseDefinition(text: string): Definition {
  return Definition.parse(withPlainNumbers(parseJson(text)));
}

function withPlainNumbers(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      key === "nodes" && Array.isArray(member)
        ? member.map((node: JsonValue) => nodeWithPlainNumbers(node))
        : plainNumbers(member),
    ]),
  );
}
