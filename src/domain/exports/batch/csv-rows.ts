import {
  addressJson,
  columnNames,
  type ExportOutput,
  type ExportRow,
  jsonPieces,
  listInMemory,
  type Pieces,
  type RowFormat,
  type RowKeys,
  valuesOf,
} from "./export-row.ts";

/** What a spreadsheet takes for the beginning of a formula. */
const FORMULA = /^[=+\-@\t\r]/;
const NEEDS_QUOTES = /[",\r\n]/;

/**
 * CSV (RFC 4180) with a header and CRLF. A text that a spreadsheet may take for a formula gets a leading apostrophe
 * unless `isRaw`; numbers and other JSON do not.
 */
export function csvRows(keys: RowKeys, isRaw: boolean): RowFormat {
  const guarded = (text: string) => (!isRaw && FORMULA.test(text) ? `'${text}` : text);
  const text = (given: string | null) => quoted(guarded(given ?? ""));
  return {
    head: `${columnNames(keys).map(text).join(",")}\r\n`,
    *row(row: ExportRow): Pieces {
      yield [
        String(row.index),
        text(row.client_reference),
        row.status,
        row.execution ?? "",
        String(row.credits_used),
        text(row.error_code),
        text(row.error_message),
      ].join(",");
      for (const value of valuesOf(row)) {
        yield ",";
        yield cellOf(value, guarded);
      }
      yield "\r\n";
    },
    tail: "",
  };
}

function cellOf(
  value: ExportOutput,
  guarded: (text: string) => string,
): string | AsyncIterable<string> {
  switch (value?.kind) {
    case undefined:
      return "";
    case "file":
      return quoted(value.url);
    case "many": {
      const list = listInMemory(value.of);
      return list === undefined ? quotedPieces(jsonPieces(value, addressJson)) : quoted(list);
    }
    case "json":
      return typeof value.text === "string" ? quoted(value.text) : quotedPieces(value.text());
    case "text":
      return typeof value.text === "string"
        ? quoted(guarded(value.text))
        : quotedPieces(startingWith(guarded, value.text()));
  }
}

function quoted(text: string): string {
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A long text always has quotes, because its end is not known when it begins. */
async function* quotedPieces(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  yield '"';
  for await (const piece of pieces) {
    yield piece.replaceAll('"', '""');
  }
  yield '"';
}

async function* startingWith(
  change: (first: string) => string,
  pieces: AsyncIterable<string>,
): AsyncGenerator<string> {
  let isFirst = true;
  for await (const piece of pieces) {
    yield isFirst ? change(piece) : piece;
    isFirst = isFirst && piece === "";
  }
}
