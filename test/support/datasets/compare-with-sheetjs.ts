/** Reads a worksheet with our reader and with SheetJS, and lists every cell that differs. */
import { read, type CellObject, SSF, type WorkSheet } from "@e965/xlsx";
import { chooseSheet, openWorkbook } from "../../../src/datasets/xlsx/open-workbook.ts";
import { readSheet } from "../../../src/datasets/xlsx/read-sheet.ts";
import { columnNames } from "../../../src/datasets/column-names.ts";
import { ExactNumber, type JsonValue, stringifyJson } from "../../../src/lib/json/exact-json.ts";
import { MemorySource } from "./memory-source.ts";

export interface Comparison {
  readonly table: string;
  readonly rows: number;
  readonly cells: number;
  /** `row 3, column 2: we read …, SheetJS …`; empty if both agree. */
  readonly differences: readonly string[];
}

export interface ComparedSheet {
  readonly table?: string;
  /** From 1. */
  readonly headerRow?: number;
  /** Other bytes for SheetJS. */
  readonly theirs?: Uint8Array;
}

/** Throws DatasetError if our reader rejects the workbook. */
export async function compareWithSheetJs(
  bytes: Uint8Array,
  { table, headerRow = 1, theirs: theirBytes = bytes }: ComparedSheet = {},
): Promise<Comparison> {
  const workbook = await openWorkbook(new MemorySource(bytes, 4_093));
  const sheet = chooseSheet(workbook, table ?? null);
  const ours: (readonly JsonValue[])[] = [];
  await readSheet(
    workbook,
    sheet,
    { headerRow, rejectsFormulas: false },
    {
      header: (names) => ours.push(names),
      row: (cells) => ours.push([...cells]),
      drained: () => undefined,
    },
  );
  const theirs = theirRows(theirBytes, sheet.name, headerRow - 1);
  const differences = [];
  if (ours.length !== theirs.length) {
    differences.push(`we read ${ours.length} rows, SheetJS ${theirs.length}`);
  }
  let cells = 0;
  for (const [row, mine] of ours.entries()) {
    const other = theirs[row] ?? [];
    for (let column = 0; column < Math.max(mine.length, other.length); column++) {
      const [a, b] = [digits(mine[column] ?? null), digits(other[column] ?? null)];
      cells++;
      if (a !== b) {
        differences.push(`row ${row}, column ${column}: we read ${a}, SheetJS ${b}`);
      }
    }
  }
  return { table: sheet.name, rows: ours.length, cells, differences };
}

/** A value as JSON, a number as its double, which may overflow, because SheetJS keeps no digits. */
function digits(value: JsonValue): string {
  return typeof value === "number" || value instanceof ExactNumber
    ? String(Number(value instanceof ExactNumber ? value.token : value))
    : stringifyJson(value);
}

/** Non-empty rows of SheetJS, from the header on, with the header's names made like ours. */
function theirRows(bytes: Uint8Array, name: string, from: number): (readonly JsonValue[])[] {
  const book = read(bytes, { dense: true, cellNF: true, cellText: false, cellFormula: false });
  const is1904 = book.Workbook?.WBProps?.date1904 === true;
  const data = (book.Sheets[name] as WorkSheet & { "!data"?: (CellObject | undefined)[][] })[
    "!data"
  ];
  const rows = (data ?? [])
    .slice(from)
    .map((row) => Array.from(row ?? [], (cell) => valueOf(cell, is1904)))
    .filter((row) => row.some((value) => value !== null && !isSpace(value)));
  const [header = [], ...others] = rows;
  while (header.at(-1) === null) {
    header.pop();
  }
  const names = columnNames(
    header.map((cell) =>
      cell === null ? "" : typeof cell === "string" ? cell : stringifyJson(cell),
    ),
  );
  return [names, ...others];
}

function isSpace(value: JsonValue): boolean {
  return typeof value === "string" && value.trim() === "";
}

/** A cell of SheetJS as a value: dates by its own calendar, errors as null. */
function valueOf(cell: CellObject | undefined, is1904: boolean): JsonValue {
  if (cell === undefined || cell.t === "z" || cell.t === "e" || cell.v === undefined) {
    return null;
  }
  if (cell.t === "n" && typeof cell.z === "string" && SSF.is_date(cell.z)) {
    return dateOf(cell.v as number, cell.z, is1904) ?? (cell.v as number);
  }
  // Our reader treats an empty text as no value.
  return cell.v === "" ? null : (cell.v as string | number | boolean);
}

function dateOf(serial: number, format: string, date1904: boolean): string | undefined {
  const plain = format.replaceAll(/"[^"]*"|\\.|_.|\*.|AM\/PM|A\/P/gi, "").split(";")[0] ?? "";
  const two = (value: number) => String(value).padStart(2, "0");
  // SheetJS returns seconds and their fraction separately, the fraction rounded to 100 µs.
  const clock = (hours: number, minutes: number, seconds: number) => {
    const ms = Math.round((seconds - Math.floor(seconds)) * 1000);
    return `${two(hours)}:${two(minutes)}:${two(Math.floor(seconds))}${ms === 0 ? "" : `.${String(ms).padStart(3, "0")}`}`;
  };
  if (/\[(?:h+|m+|s+)\]/i.test(plain)) {
    const total = Math.round(serial * 86_400_000) / 1000;
    return serial < 0
      ? undefined
      : clock(Math.floor(total / 3600), Math.floor(total / 60) % 60, total % 60);
  }
  const shown = plain.replaceAll(/\[[^\]]*\]/g, "").toLowerCase();
  const hasTime = /[hs]/.test(shown);
  const hasDate = /[yd]/.test(shown) || (shown.includes("m") && !hasTime);
  if (!hasTime && !hasDate) {
    return undefined;
  }
  const rounded = Math.round(serial * 86_400_000) / 86_400_000;
  const code = SSF.parse_date_code(rounded, { date1904 }) as
    | { y: number; m: number; d: number; H: number; M: number; S: number; u?: number }
    | undefined;
  if (code === undefined || serial < 0) {
    return undefined;
  }
  const time = clock(code.H, code.M, code.S + (code.u ?? 0));
  const day = `${String(code.y).padStart(4, "0")}-${two(code.m)}-${two(code.d)}`;
  if (!hasDate && serial < 1) {
    return time;
  }
  return hasTime || time !== "00:00:00" ? `${day}T${time}` : day;
}
