/** The text of style sheets: escapes, comments, and the words that no declaration may hold. */

/** Functions and words that can load a file, run a script or leave the sheet (docs/embeds.md). */
const FORBIDDEN = /(?:url|src|image|image-set|element|expression)\s*\(|javascript\s*:|<\//i;

/** At-rules that a sheet may have. */
const ALLOWED_AT = new Set(["media", "supports", "keyframes", "-webkit-keyframes"]);

/** Replaces the escapes of CSS with their characters (CSS Syntax 3, "consume an escaped code point"). */
export function decodeEscapes(text: string): string {
  return text.replaceAll(
    /\\(?:([0-9a-f]{1,6})(?:\r\n|[ \t\r\n\f])?|(\r\n|[\n\r\f])|([^]))/gi,
    (_all, hex: string | undefined, line: string | undefined, character: string | undefined) => {
      if (hex !== undefined) {
        const code = Number.parseInt(hex, 16);
        const isCharacter = code > 0 && code <= 0x10_ff_ff && (code < 0xd8_00 || code > 0xdf_ff);
        return isCharacter ? String.fromCodePoint(code) : "\u{FFFD}";
      }
      return line === undefined ? (character ?? "") : "";
    },
  );
}

/** Removes comments, closed or not, wherever they stand: also where a browser would not see one, as in a text. */
export function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[^]*?(?:\*\/|$)/g, "");
}

/** Every reading of a text under which a forbidden word could appear: with and without comments, and decoded. */
function readings(text: string): string[] {
  const decoded = decodeEscapes(text);
  return [
    text,
    decoded,
    withoutComments(text),
    withoutComments(decoded),
    decodeEscapes(withoutComments(text)),
  ];
}

/** Whether a value or a condition holds a forbidden word, however it is written. */
export function holdsForbidden(text: string): boolean {
  return readings(text).some((reading) => FORBIDDEN.test(reading));
}

/** Whether a whole sheet holds a forbidden word, property, position or at-rule, however it is written. */
export function isSuspect(sheet: string): boolean {
  return readings(sheet).some(
    (reading) =>
      FORBIDDEN.test(reading) ||
      /(?<![\w-])behavior\s*:|-moz-binding|(?<![\w-])position\s*:\s*(?:fixed|sticky|-webkit-sticky)/i.test(
        reading,
      ) ||
      [...reading.matchAll(/@\s*([\w-]+)/g)].some(
        ([, name]) => !ALLOWED_AT.has((name ?? "").toLowerCase()),
      ),
  );
}

/**
 * Splits at a character outside of strings, comments and brackets. For text that a browser has serialized: its brackets
 * and strings are closed.
 */
export function splitTop(text: string, separator: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i < text.length; i += 1) {
    const character = text[i] ?? "";
    if (character === "\\") {
      i += 1;
    } else if (character === '"' || character === "'") {
      i = endOfString(text, i);
    } else if (character === "/" && text[i + 1] === "*") {
      const end = text.indexOf("*/", i + 2);
      i = end === -1 ? text.length : end + 1;
    } else if ("([{".includes(character)) {
      depth += 1;
    } else if (")]}".includes(character)) {
      depth -= 1;
    } else if (character === separator && depth === 0) {
      parts.push(text.slice(start, i));
      start = i + 1;
    }
  }
  parts.push(text.slice(start));
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

function endOfString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i += 1) {
    if (text[i] === "\\") {
      i += 1;
    } else if (text[i] === text[start]) {
      return i;
    }
  }
  return text.length;
}

/** Replaces a character outside of strings and escapes. */
export function replaceOutsideStrings(text: string, character: string, by: string): string {
  let made = "";
  for (let i = 0; i < text.length; i += 1) {
    const found = text[i] ?? "";
    const end = found === "\\" ? i + 1 : found === '"' || found === "'" ? endOfString(text, i) : i;
    made += found === character ? by : text.slice(i, end + 1);
    i = end;
  }
  return made;
}
