import type { JsonValue } from "../../../src/lib/json/exact-json.ts";

export type Json = { [key: string]: JsonValue };

/** A GUID for each number. */
export function guidOf(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
}

let last = 0;

/** Another GUID at each call. */
export function nextGuid(): string {
  last += 1;
  return `10000000-0000-4000-8000-${String(last).padStart(12, "0")}`;
}

/** An element at the top left of its container, 100 × 20. */
export function element(type: string, properties: Json = {}): Json {
  return { $type: type, id: nextGuid(), width: 100, height: 20, ...properties };
}

/** A field of the given type and code; its name is its code. */
export function field(placeholderType: string, code: string, properties: Json = {}): Json {
  return { id: nextGuid(), name: code, code, placeholderType, ...properties };
}

/** A text element that prints a field. */
export function fieldText(code: string, properties: Json = {}, type = "text"): Json {
  return element("text", { placeholder: field(type, code, properties) });
}

/** A4, with these elements. */
export function page(elements: readonly JsonValue[] = [], properties: Json = {}): Json {
  return { id: nextGuid(), width: 595, height: 842, elements, ...properties };
}

/** A document of one page with these elements. */
export function documentWith(elements: readonly JsonValue[], properties: Json = {}): Json {
  return { schemaVersion: "2.0", pages: [page(elements)], ...properties };
}

/** A list of invoice lines with a row of two fields. */
export function list(code: string, children: readonly JsonValue[], properties: Json = {}): Json {
  return element("repeat_region", {
    placeholder: field("list", code),
    itemHeight: 20,
    children,
    ...properties,
  });
}
