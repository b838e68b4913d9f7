import { ExactNumber, isJsonObject, type JsonValue } from "./exact-json.ts";

/**
 * One text for all notations of a JSON value: keys sorted by UTF-16 code units, no white space,
 * number tokens unchanged. Recursive: only for values whose depth has been checked.
 */
export function canonicalJson(value: JsonValue): string {
  // The platform writes a sorted copy in a tenth of the time that the parts take.
  const sorted = sortedCopy(value);
  return sorted === undefined ? joined(value) : JSON.stringify(sorted);
}

const [ZERO, NINE] = [0x30, 0x39];

/** Undefined if an object cannot have its keys in that order, or holds what JSON does not have. */
function sortedCopy(value: JsonValue): JsonValue | undefined {
  if (typeof value !== "object" || value === null || value instanceof ExactNumber) {
    return value;
  }
  if (Array.isArray(value)) {
    const items: JsonValue[] = [];
    for (const item of value as readonly JsonValue[]) {
      const copy = sortedCopy(item);
      if (copy === undefined) {
        return undefined;
      }
      items.push(copy);
    }
    return items;
  }
  const members = value as { readonly [key: string]: JsonValue };
  const copies: { [key: string]: JsonValue } = {};
  for (const key of sortedKeys(members)) {
    const first = key.charCodeAt(0);
    const copy = sortedCopy(members[key] as JsonValue);
    // Keys that are whole numbers come first in every object, and `__proto__` never is a member of a new one.
    if (copy === undefined || (first >= ZERO && first <= NINE) || key === "__proto__") {
      return undefined;
    }
    copies[key] = copy;
  }
  return copies;
}

function sortedKeys(members: object): string[] {
  const keys = Object.keys(members);
  for (let i = 1; i < keys.length; i++) {
    if ((keys[i - 1] as string) > (keys[i] as string)) {
      return keys.sort();
    }
  }
  return keys;
}

function joined(value: JsonValue): string {
  if (value instanceof ExactNumber) {
    return value.token;
  }
  if (Array.isArray(value)) {
    return `[${value.map((item) => joined(item as JsonValue)).join(",")}]`;
  }
  if (!isJsonObject(value)) {
    return JSON.stringify(value);
  }
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${joined(value[key] as JsonValue)}`);
  return `{${members.join(",")}}`;
}
