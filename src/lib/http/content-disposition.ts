/** Letters that Unicode normalization does not decompose into an ASCII letter and an accent. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: "ss",
  ẞ: "SS",
  æ: "ae",
  Æ: "AE",
  œ: "oe",
  Œ: "OE",
  ø: "o",
  Ø: "O",
  đ: "d",
  Đ: "D",
  ð: "d",
  Ð: "D",
  þ: "th",
  Þ: "Th",
  ł: "l",
  Ł: "L",
  ħ: "h",
  Ħ: "H",
  ı: "i",
};

/** A text without accents: `Preisliste März` → `Preisliste Marz`. */
export function withoutAccents(text: string): string {
  return text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^\0-\x7f]/g, (letter) => LETTERS[letter] ?? letter);
}

/**
 * A `Content-Disposition` header for any file name: the exact name and, for clients that do not
 * support it, an ASCII name in which letters have no accents (RFC 6266).
 */
export function contentDisposition(kind: "inline" | "attachment", name: string): string {
  const ascii = withoutAccents(name.toWellFormed()).replaceAll(/[^\x20-\x7e]|["\\%]/gu, "_");
  const exact = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return ascii === name
    ? `${kind}; filename="${ascii}"`
    : `${kind}; filename="${ascii}"; filename*=UTF-8''${exact}`;
}
