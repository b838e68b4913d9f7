/** Pieces of what elements hold: what is passed on from node to node is kept once. */
import type { Cell, Piece } from "./block-text.ts";

/** A text shorter than this is not worth telling apart from the name of its port. */
const SHARED_CHARS_MIN = 32;

/** As `engine/values` writes the content of a file. A customer's JSON may have it, too. */
const CONTENT_MARK = '"inline":"';
const CONTENT = /"inline":"[A-Za-z0-9+/=]{32,}/g;

/** Bytes of a sealed row's texts at most, but for a single cell; SQLite in an object takes 2 MB. */
const PAGE_BYTES_MAX = 500_000;

const UTF_8 = new TextEncoder();

/**
 * A body as the part that names its port and the parts that its value is in, contents of files by
 * themselves: of what is passed on, these are the same. Together they are the body, whatever is in it.
 */
export function splitBody(body: string): [head: string, ...tail: Piece[]] {
  const end = body.indexOf('",');
  if (end === -1 || body.length - end < SHARED_CHARS_MIN) {
    return [body];
  }
  const pieces: Piece[] = [];
  let at = end;
  for (const found of body.includes(CONTENT_MARK) ? body.matchAll(CONTENT) : []) {
    const start = found.index + CONTENT_MARK.length;
    const over = found.index + found[0].length;
    pieces.push({ text: body.slice(at, start) }, { text: body.slice(start, over) });
    at = over;
  }
  return [body.slice(0, end), ...pieces, { text: body.slice(at) }];
}

/** The pieces of a cell that holds one file, but for content that lies in a row of its own. */
export function withoutContent(tail: readonly Piece[]): Piece[] {
  return tail.filter((piece, at) => {
    const before = tail[at - 1];
    const isContent =
      before !== undefined && "text" in before && before.text.endsWith(CONTENT_MARK);
    return !("row" in piece && isContent);
  });
}

/** Cells in order, cut where their texts would be too much for one row. */
export function pagesOf(cells: readonly Cell[]): Cell[][] {
  const pages: Cell[][] = [];
  let left = 0;
  for (const cell of cells) {
    const text = cell.tail.map((piece) => ("row" in piece ? "" : piece.text)).join("");
    const { byteLength } = UTF_8.encode(cell.head + text);
    left -= byteLength;
    if (left < 0 || pages.length === 0) {
      pages.push([]);
      left = PAGE_BYTES_MAX - byteLength;
    }
    pages.at(-1)?.push(cell);
  }
  return pages;
}

/** Characters of a cell that its block has. */
export function textChars({ head, tail }: Cell): number {
  return tail.reduce((sum, piece) => sum + ("row" in piece ? 0 : piece.text.length), head.length);
}
