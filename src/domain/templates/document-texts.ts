import { canonicalJson } from "../../lib/json/canonical-json.ts";
import { isJsonObject, type JsonValue, stringifyJson } from "../../lib/json/exact-json.ts";

interface Texts {
  stored?: string;
  canonical?: string;
}

/** Of the pages and other entries of documents, which are never changed: an edit replaces the one that it is in. */
const kept = new WeakMap<object, Texts>();

/** `stringifyJson` of a document: only entries that are new since the last call are written. */
export function storedText(document: JsonValue): string {
  return textOf(document, "stored", stringifyJson);
}

/** `canonicalJson` of a document, likewise. */
export function canonicalText(document: JsonValue): string {
  return textOf(document, "canonical", canonicalJson);
}

function textOf(
  document: JsonValue,
  kind: keyof Texts,
  write: (value: JsonValue) => string,
): string {
  if (!isJsonObject(document)) {
    return write(document);
  }
  const entryText = (entry: JsonValue): string => {
    if (!isJsonObject(entry)) {
      return write(entry);
    }
    const texts = kept.get(entry) ?? {};
    kept.set(entry, texts);
    return (texts[kind] ??= write(entry));
  };
  const names = Object.keys(document);
  const members = (kind === "canonical" ? names.sort() : names).map((name) => {
    const value = document[name] as JsonValue;
    const text = Array.isArray(value)
      ? `[${(value as readonly JsonValue[]).map(entryText).join(",")}]`
      : write(value);
    return `${JSON.stringify(name)}:${text}`;
  });
  return `{${members.join(",")}}`;
}
