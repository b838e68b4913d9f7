import { isJsonObject, type JsonValue } from "../../lib/json/exact-json.ts";
import type { Properties } from "./document-form.ts";

/** The way to a value in a document: names and indices. */
export type Way = readonly (string | number)[];

const HOLDERS = ["header", "children"] as const;

/** The value at the end of a way. */
export function valueAt(document: JsonValue, way: Way): JsonValue | undefined {
  let at: JsonValue | undefined = document;
  for (const key of way) {
    at =
      typeof at === "object" && at !== null
        ? // A list or an object; both are read by key.
          (at as unknown as Readonly<Record<string | number, JsonValue>>)[key]
        : undefined;
  }
  return at;
}

/** The document with another value at the end of a way. Only what lies on the way is copied. */
export function replaceAt(document: JsonValue, way: Way, value: JsonValue): JsonValue {
  const [key, ...rest] = way;
  if (key === undefined) {
    return value;
  }
  if (Array.isArray(document)) {
    const list = document as readonly JsonValue[];
    const next = replaceAt(list[Number(key)] ?? null, rest, value);
    return list.with(Number(key), next);
  }
  const object = document as Properties;
  const next = replaceAt(object[key] ?? null, rest, value);
  // fromEntries defines own members, whatever their names.
  return Object.hasOwn(object, key)
    ? Object.fromEntries(
        Object.entries(object).map(([name, child]) => [name, name === key ? next : child]),
      )
    : Object.fromEntries([...Object.entries(object), [String(key), next]]);
}

/** The way to the entry of a list that has an id, letter case aside. */
export function findEntry(document: JsonValue, list: string, id: string): Way | undefined {
  const entries = valueAt(document, [list]);
  const at = Array.isArray(entries)
    ? (entries as readonly JsonValue[]).findIndex((entry) => hasId(entry, id))
    : -1;
  return at === -1 ? undefined : [list, at];
}

/** The way to an element of a page or master page, nested ones included. */
export function findElement(document: JsonValue, id: string, sheet?: Way): Way | undefined {
  const sheets =
    sheet === undefined
      ? ["pages", "masterPages"].flatMap((list) => {
          const entries = valueAt(document, [list]);
          return Array.isArray(entries) ? entries.map((_entry, i): Way => [list, i]) : [];
        })
      : [sheet];
  const left = sheets.map((way): Way => [...way, "elements"]).toReversed();
  for (let way = left.pop(); way !== undefined; way = left.pop()) {
    const list = valueAt(document, way);
    if (!Array.isArray(list)) {
      continue;
    }
    for (const [i, element] of (list as readonly JsonValue[]).entries()) {
      if (hasId(element, id)) {
        return [...way, i];
      }
      if (isJsonObject(element)) {
        for (const holder of HOLDERS) {
          if (element[holder] !== undefined) {
            left.push([...way, i, holder]);
          }
        }
      }
    }
  }
  return undefined;
}

function hasId(value: JsonValue, id: string): boolean {
  return (
    isJsonObject(value) &&
    typeof value["id"] === "string" &&
    value["id"].toLowerCase() === id.toLowerCase()
  );
}

/** The document with an entry more in a list; after the last one if `index` is left out or beyond. */
export function insertAt(
  document: JsonValue,
  list: Way,
  index: number | undefined,
  entry: JsonValue,
): { readonly document: JsonValue; readonly way: Way } {
  const found = valueAt(document, list);
  const entries = Array.isArray(found) ? (found as readonly JsonValue[]) : [];
  const at = Math.min(index ?? entries.length, entries.length);
  return {
    document: replaceAt(document, list, entries.toSpliced(at, 0, entry)),
    way: [...list, at],
  };
}

/** The document without the entry at the end of a way. */
export function removeAt(document: JsonValue, way: Way): JsonValue {
  const list = way.slice(0, -1);
  const entries = valueAt(document, list) as readonly JsonValue[];
  return replaceAt(document, list, entries.toSpliced(Number(way.at(-1)), 1));
}
