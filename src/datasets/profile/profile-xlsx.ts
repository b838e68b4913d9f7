import type { DatasetOptions, DatasetWarning } from "../../contracts/dataset.ts";
import type { ByteSource } from "../../lib/files/byte-source.ts";
import { type JsonValue, stringifyJson } from "../../lib/json/exact-json.ts";
import type { NumberFormat } from "../../lib/json/number-format.ts";
import { sheetKind } from "../infer/cell-kind.ts";
import { sheetCell } from "../rows/typed-cell.ts";
import { chooseSheet, openWorkbook } from "../xlsx/open-workbook.ts";
import { readSheet, type SheetMetadata, type SheetSink } from "../xlsx/read-sheet.ts";
import { type OpenSink, profileOf, type ReadTable, type RowSink } from "./profile-of.ts";
import { rowObject, TableCounts } from "./table-counts.ts";

export async function profileXlsx(
  source: ByteSource,
  options: DatasetOptions,
  numbers: NumberFormat,
  rows: OpenSink | undefined,
): Promise<ReadTable> {
  const workbook = await openWorkbook(source);
  const sheet = chooseSheet(workbook, options.table);
  const sink = new SheetProfile(options, numbers, rows?.());
  const sheetOptions = {
    headerRow: options.headerRow,
    rejectsFormulas: options.formulaPolicy === "reject",
  };
  const metadata = await readSheet(workbook, sheet, sheetOptions, sink);
  const { counts } = sink;
  const { columns } = counts;
  const sample = sink.sample.map((cells) =>
    rowObject(
      counts.names,
      columns.map(({ type }, index) => sheetCell(cells[index] ?? null, type, numbers)),
    ),
  );
  return {
    profile: profileOf(
      "xlsx",
      { table: sheet.name },
      { rows: counts.rows, columns, warnings: [...counts.warnings, ...sheetWarnings(metadata)] },
      sample,
    ),
    present: counts.present,
  };
}

class SheetProfile implements SheetSink {
  readonly counts: TableCounts;
  readonly sample: (readonly JsonValue[])[] = [];
  readonly #numbers: NumberFormat;
  readonly #rows: RowSink | undefined;

  constructor(options: DatasetOptions, numbers: NumberFormat, rows: RowSink | undefined) {
    this.counts = new TableCounts(options);
    this.#numbers = numbers;
    this.#rows = rows;
  }

  header(names: readonly string[]): void {
    this.counts.names.push(...names);
  }

  row(cells: readonly JsonValue[]): void {
    const { counts } = this;
    counts.addRow();
    let chars = cells.length;
    cells.forEach((cell, column) => {
      const kind = sheetKind(cell, this.#numbers);
      if (counts.cells.add(column, kind)) {
        counts.sawFirst(column, kind, typeof cell === "string" ? cell : stringifyJson(cell));
      }
      chars += typeof cell === "string" ? cell.length : 8;
    });
    if (counts.wantsSample) {
      this.sample.push(cells);
      counts.tookSample(chars);
    }
    this.#rows?.add(cells);
  }

  drained(): Promise<void> | undefined {
    return this.#rows?.drained();
  }
}

function sheetWarnings(metadata: SheetMetadata): DatasetWarning[] {
  const { formulas, uncachedFormulas, errors, mergedRanges } = metadata;
  const warnings: DatasetWarning[] = [];
  if (formulas > 0) {
    const without =
      uncachedFormulas > 0 ? ` ${uncachedFormulas} without a stored value were read as empty.` : "";
    warnings.push({
      code: "XLSX_FORMULA_CACHED_VALUE",
      message: `${formulas} cells contain formulas. Their stored values were read; formulas are not calculated.${without}`,
    });
  }
  if (errors > 0) {
    warnings.push({
      code: "XLSX_ERROR_VALUE",
      message: `${errors} cells contain an error such as #N/A and were read as empty.`,
    });
  }
  if (mergedRanges > 0) {
    warnings.push({
      code: "XLSX_MERGED_CELLS",
      message: `${mergedRanges} ranges are merged; only the first cell of each has the value.`,
    });
  }
  return warnings;
}
