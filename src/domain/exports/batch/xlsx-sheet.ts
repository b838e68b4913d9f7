/** A workbook with one sheet (ECMA-376, transitional), whose texts are in its cells and which never has a formula. */
import {
  addressJson,
  columnNames,
  type ExportOutput,
  type ExportRow,
  jsonPieces,
  type Pieces,
  type RowFormat,
  type RowKeys,
  valuesOf,
} from "./export-row.ts";

/** Characters of a cell, in UTF-16 units: Excel repairs a workbook with more. */
const CELL_CHARS_MAX = 32_767;

/** Digits that a number of a spreadsheet keeps. */
const DIGITS_MAX = 15;
/** Numbers of a spreadsheet, by their absolute value. */
const [LEAST, MOST] = [2.2250738585072014e-308, 9.99999999999999e307] as const;

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";
const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const TYPES = "application/vnd.openxmlformats-officedocument.spreadsheetml";

export const SHEET_PATH = "xl/worksheets/sheet1.xml";

/** The files of a workbook besides its sheet. */
export const WORKBOOK_FILES: readonly (readonly [path: string, text: string])[] = [
  [
    "[Content_Types].xml",
    `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPES}.sheet.main+xml"/><Override PartName="/${SHEET_PATH}" ContentType="${TYPES}.worksheet+xml"/></Types>`,
  ],
  [
    "_rels/.rels",
    `${HEAD}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  ],
  [
    "xl/workbook.xml",
    `${HEAD}<workbook xmlns="${SHEET}" xmlns:r="${OFFICE}"><sheets><sheet name="Results" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  ],
  [
    "xl/_rels/workbook.xml.rels",
    `${HEAD}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
  ],
];

/** The sheet. Numbers of up to 15 digits are numbers, everything else is text. */
export function xlsxRows(keys: RowKeys): RowFormat {
  const names = columnNames(keys);
  const columns = names.map((_name, at) => columnName(at));
  const rowOf = (number: number, cells: readonly string[]) =>
    `<row r="${String(number)}">${cells.join("")}`;
  const header = names.map((name, at) => textCell(`${columns[at] ?? ""}1`, name));
  return {
    head: `${HEAD}<worksheet xmlns="${SHEET}"><sheetData>${rowOf(1, header)}</row>`,
    *row(row: ExportRow): Pieces {
      // Row 1 is the header.
      const number = row.index + 2;
      const place = (at: number) => `${columns[at] ?? ""}${String(number)}`;
      const text = (at: number, given: string | null) =>
        given === null ? "" : textCell(place(at), given);
      yield rowOf(number, [
        numberCell(place(0), String(row.index)),
        text(1, row.client_reference),
        text(2, row.status),
        text(3, row.execution),
        numberCell(place(4), String(row.credits_used)),
        text(5, row.error_code),
        text(6, row.error_message),
      ]);
      for (const [nth, value] of valuesOf(row).entries()) {
        yield cellOf(place(nth + 7), value);
      }
      yield "</row>";
    },
    tail: "</sheetData></worksheet>",
  };
}

function cellOf(place: string, value: ExportOutput): string | AsyncIterable<string> {
  switch (value?.kind) {
    case undefined:
      return "";
    case "file":
      return textCell(place, value.url);
    case "many":
      return longCell(place, jsonPieces(value, addressJson));
    case "text":
      return typeof value.text === "string"
        ? textCell(place, value.text)
        : longCell(place, value.text());
    case "json":
      if (typeof value.text !== "string") {
        return longCell(place, value.text());
      }
      return isSheetNumber(value.text)
        ? numberCell(place, value.text)
        : textCell(place, value.text);
  }
}

/** Reads no more than a cell holds. */
async function* longCell(place: string, pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let text = "";
  for await (const piece of pieces) {
    text += piece;
    if (text.length > CELL_CHARS_MAX) {
      break;
    }
  }
  yield textCell(place, text);
}

function numberCell(place: string, token: string): string {
  return `<c r="${place}"><v>${token}</v></c>`;
}

function textCell(place: string, text: string): string {
  return text === ""
    ? ""
    : `<c r="${place}" t="inlineStr"><is><t xml:space="preserve">${escaped(shortened(text))}</t></is></c>`;
}

/** The text, or its beginning and an ellipsis if it is longer than a cell. No character is cut in half. */
function shortened(text: string): string {
  if (text.length <= CELL_CHARS_MAX) {
    return text;
  }
  const cut = text.slice(0, CELL_CHARS_MAX - 1);
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}

/**
 * XML text. Characters that XML does not have are written as spreadsheets do, `_x0000_`, and so is a text that looks
 * like one of these. Half of a surrogate pair becomes U+FFFD.
 */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/_(?=x[0-9A-Fa-f]{4}_)/g, "_x005F_")
    .replaceAll(
      // oxlint-disable-next-line no-control-regex -- these are the characters that XML lacks
      /[\u0000-\u0008\u000B-\u001F\uFFFE\uFFFF]/g,
      (char) => `_x${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`,
    )
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}

/** Whether a JSON text is a number that a spreadsheet keeps as it is. */
function isSheetNumber(token: string): boolean {
  const match = /^-?(\d+)(?:\.(\d+))?(?:[eE][+-]?\d+)?$/.exec(token);
  if (match === null) {
    return false;
  }
  const digits = `${match[1] ?? ""}${match[2] ?? ""}`.replace(/^0+/, "");
  const size = Math.abs(Number(token));
  return digits.length <= DIGITS_MAX && size <= MOST && (size >= LEAST || digits === "");
}

/** `A` for 0, `AA` for 26. */
function columnName(at: number): string {
  return (
    (at >= 26 ? columnName(Math.floor(at / 26) - 1) : "") + String.fromCharCode(65 + (at % 26))
  );
}
