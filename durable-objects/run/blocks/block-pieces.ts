/** Pieces of the elements' contents: content that is passed on from node to node is stored once. */
import { base64Chars } from "../../../src/lib/files/file-content.ts";
import { valueKey } from "./block-keys.ts";
import { type Cell, NO_TAIL, type Piece } from "./block-text.ts";

/** A shorter text is not worth separating from the name of its port. */
const SHARED_CHARS_MIN = 32;

/** The form in which `engine/values` writes a file's content. A customer's JSON may contain it too. */
const CONTENT_MARK = '"inline":"';

/** A longer text gets a separate row when its block is written by itself: the text of a file over 4 KiB. */
const OWN_ROW_CHARS = base64Chars(4_096);

/** Most bytes of the texts of a sealed row, unless it has a single cell; SQLite in an object accepts 2 MB. */
const PAGE_BYTES_MAX = 500_000;

const UTF_8 = new TextEncoder();

/**
 * Splits a body into the part that names its port and the parts of its value, with contents of files separate: parts of
 * values that are passed on are identical. Joined, the parts are the body, whatever it contains.
 */
export function splitBody(body: string): Pick<Cell, "head" | "tail"> {
  const end = body.length < SHARED_CHARS_MIN ? -1 : body.indexOf('",');
  if (end === -1 || body.length - end < SHARED_CHARS_MIN) {
    return { head: body, tail: NO_TAIL };
  }
  const pieces: Piece[] = [];
  let at = end;
  for (let from = end; ;) {
    const mark = body.indexOf(CONTENT_MARK, from);
    if (mark === -1) {
      break;
    }
    const start = mark + CONTENT_MARK.length;
    const quote = body.indexOf('"', start);
    const over = quote === -1 ? body.length : quote;
    if (over - start >= SHARED_CHARS_MIN) {
      pieces.push({ text: body.slice(at, start) }, { text: body.slice(start, over) });
      at = over;
    }
    from = over;
  }
  pieces.push({ text: body.slice(at) });
  return { head: body.slice(0, end), tail: pieces };
}

/** The pieces of a cell that contains one file, without content that is stored in a separate row. */
export function withoutContent(tail: readonly Piece[]): Piece[] {
  return tail.filter((piece, at) => {
    const before = tail[at - 1];
    const isContent =
      before !== undefined && "text" in before && before.text.endsWith(CONTENT_MARK);
    return !("row" in piece && isContent);
  });
}

/** A UTF-16 unit takes at most this in UTF-8. */
const UNIT_BYTES_MAX = 3;

/** Splits cells, in order, where their texts would exceed one row. */
export function pagesOf(cells: readonly Cell[]): Cell[][] {
  // Most blocks fit in whatever language they are: their bytes need no counting.
  const chars = cells.reduce((sum, cell) => sum + textChars(cell), 0);
  if (cells.length > 0 && chars * UNIT_BYTES_MAX <= PAGE_BYTES_MAX) {
    return [[...cells]];
  }
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

/** Characters of a cell in its block. */
export function textChars({ head, tail }: Cell): number {
  let chars = head.length;
  for (const piece of tail) {
    chars += "row" in piece ? 0 : piece.text.length;
  }
  return chars;
}

/** Moves long texts to separate rows, equal texts to the same row. Returns the rows to write by their keys. */
export function moveLong(cells: readonly Cell[]): [row: string, text: string][] {
  const rows = new Map<string, string>();
  const isLong = (piece: Piece) => "text" in piece && piece.text.length > OWN_ROW_CHARS;
  for (const cell of cells) {
    if (!cell.tail.some(isLong)) {
      continue;
    }
    cell.tail = cell.tail.map((piece, at) => {
      if ("row" in piece || !isLong(piece)) {
        return piece;
      }
      const row = rows.get(piece.text) ?? valueKey(cell.node, cell.element, at);
      rows.set(piece.text, row);
      return { row };
    });
  }
  return [...rows].map(([text, row]) => [row, text]);
}
