/**
 * Parses CSV by RFC 4180: quoted fields may contain commas, quotes (doubled) and line breaks. Throws on an unclosed
 * quote.
 */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at < text.length) {
    const { value, end } = text[at] === '"' ? quotedField(text, at) : plainField(text, at);
    row.push(value);
    at = end;
    if (text[at] === ",") {
      at += 1;
      if (at === text.length) {
        row.push("");
      }
      continue;
    }
    rows.push(row);
    row = [];
    at += text.startsWith("\r\n", at) ? 2 : 1;
  }
  if (row.length > 0) {
    rows.push(row);
  }
  return rows;
}

function plainField(text: string, start: number): { value: string; end: number } {
  let end = start;
  while (end < text.length && !",\r\n".includes(text.charAt(end))) {
    end += 1;
  }
  return { value: text.slice(start, end), end };
}

function quotedField(text: string, start: number): { value: string; end: number } {
  let value = "";
  let at = start + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote < 0) {
      throw new Error(`The quote opened at character ${start + 1} is never closed.`);
    }
    value += text.slice(at, quote);
    if (text[quote + 1] !== '"') {
      return { value, end: quote + 1 };
    }
    value += '"';
    at = quote + 2;
  }
}
