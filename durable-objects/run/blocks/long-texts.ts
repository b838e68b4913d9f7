import type { PartRows } from "./part-rows.ts";

/** Most characters of one part; SQLite in an object accepts 2 MB. */
const PART_CHARS_MAX = 500_000;

/** A named text of any length, split into parts below the row limit. */
export function putLongText(parts: PartRows, name: string, text: string): void {
  for (let piece = 0; piece * PART_CHARS_MAX < text.length; piece++) {
    parts.put(
      `text.${name}.${piece}`,
      text.slice(piece * PART_CHARS_MAX, (piece + 1) * PART_CHARS_MAX),
    );
  }
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
