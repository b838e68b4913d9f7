import type { PartRows } from "./part-rows.ts";

/** Most characters of one part; SQLite in an object accepts 2 MB. */
const PART_CHARS_MAX = 500_000;

/** A named text of any length, split into parts below the row limit. */
export function putLongText(parts: PartRows, name: string, text: string): void {
  for (const [key, piece] of partsOfLongText(name, text)) {
    parts.put(key, piece);
  }
}

export function partsOfLongText(name: string, text: string): [key: string, piece: string][] {
  const pieces = Math.ceil(text.length / PART_CHARS_MAX);
  return Array.from({ length: pieces }, (_, at) => [
    `text.${name}.${at}`,
    text.slice(at * PART_CHARS_MAX, (at + 1) * PART_CHARS_MAX),
  ]);
}

/** Whether the part is one of this text. */
export function isOfLongText(key: string, name: string): boolean {
  return key.startsWith(`text.${name}.`);
}

/** Empty if there is none. */
export function getLongText(parts: PartRows, name: string): string {
  let text = "";
  for (let piece = 0; ; piece++) {
    const next = parts.get(`text.${name}.${piece}`);
    if (next === undefined) {
      return text;
    }
    text += next;
    if (next.length < PART_CHARS_MAX) {
      return text;
    }
  }
}
