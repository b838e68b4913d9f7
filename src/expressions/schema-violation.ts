import { isJsonObject, type JsonValue, stringifyJson } from "../lib/json/exact-json.ts";

const SHOWN_MAX = 200;

/** The value at a JSON pointer; undefined if it does not exist. Own properties only. */
export function atPointer(root: JsonValue, pointer: string): JsonValue | undefined {
  let value: JsonValue | undefined = root;
  for (const part of pointer.split("/").slice(1)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (value === undefined || typeof value !== "object" || value === null) {
      return undefined;
    }
    if (Array.isArray(value)) {
      value = (value as readonly JsonValue[])[Number(key)];
    } else {
      value = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
    }
  }
  return value;
}

/**
 * The message of a violation, made from the keyword, its value in the schema if known, and the
 * violating value (whose content is never shown).
 */
export function violationMessage(
  keyword: string,
  rule: JsonValue | undefined,
  instance: JsonValue | undefined,
): string {
  if (keyword === "validate") {
    return "is not allowed here";
  }
  if (rule === undefined) {
    return `violates the rule ${keyword}`;
  }
  const shown = shorten(stringifyJson(rule));
  switch (keyword) {
    case "type":
      return `must be ${Array.isArray(rule) ? rule.join(" or ") : `of type ${shown.replaceAll('"', "")}`}`;
    case "required": {
      const missing = (Array.isArray(rule) ? (rule as readonly JsonValue[]) : []).filter(
        (name) =>
          typeof name === "string" &&
          instance !== undefined &&
          isJsonObject(instance) &&
          !Object.hasOwn(instance, name),
      );
      return `lacks ${shorten(missing.map((name) => stringifyJson(name)).join(", "))}`;
    }
    case "const":
      return `must be ${shown}`;
    case "enum":
      return `must be one of ${shown}`;
    case "pattern":
      return `must match the pattern ${shown}`;
    case "minimum":
      return `must be at least ${shown}`;
    case "maximum":
      return `must be at most ${shown}`;
    case "uniqueItems":
      return "must not contain the same element twice";
    case "anyOf":
      return "must match at least one of the schemas of anyOf";
    case "oneOf":
      return "must match exactly one of the schemas of oneOf";
    case "not":
      return "must not match the schema of not";
    default:
      return `violates the rule ${keyword}: ${shown}`;
  }
}

function shorten(text: string): string {
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
}
