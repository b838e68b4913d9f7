import type { DatasetOptions } from "../../contracts/dataset.ts";
import type { ByteSource } from "../../lib/files/byte-source.ts";
import { type JsonValue, stringifyJson } from "../../lib/json/exact-json.ts";
import { DatasetError } from "../dataset-error.ts";
import { valueKind } from "../infer/cell-kind.ts";
import { ndjsonItems } from "../json/ndjson-items.ts";
import { asRow, findTable, jsonItems } from "../json/read-json.ts";
import { type OpenSink, profileOf, type ReadTable } from "./profile-of.ts";
import { COLUMNS_MAX, rowObject, TableCounts } from "./table-counts.ts";

export async function profileJson(
  source: ByteSource,
  format: "json" | "ndjson",
  options: DatasetOptions,
  rows: OpenSink | undefined,
): Promise<ReadTable> {
  const counts = new TableCounts(options);
  const columns = new Map<string, number>();
  const sample: { readonly [key: string]: JsonValue }[] = [];
  const writer = rows?.();
  if (format === "ndjson" && options.table !== null && options.table !== "$") {
    throw new DatasetError("invalid_data", "An NDJSON file has one table, $. Omit table.");
  }
  const table = format === "ndjson" ? null : (options.table ?? (await findTable(source)));
  const pages =
    table === null
      ? ndjsonItems(source)
      : // Digits matter only if a row is shown or stored; the types are the same without them.
        jsonItems(source, table, () => writer !== undefined || counts.wantsSample);
  for await (const page of pages) {
    for (const item of page) {
      const row = asRow(item, counts.rows);
      counts.addRow();
      count(row, columns, counts);
      if (counts.wantsSample) {
        sample.push(row);
        counts.tookSample(stringifyJson(row).length);
      }
      writer?.add(row);
    }
    await writer?.drained();
  }
  const shown = sample.map((row) =>
    rowObject(
      counts.names,
      counts.names.map((name) => (Object.hasOwn(row, name) ? (row[name] ?? null) : null)),
    ),
  );
  return {
    profile: profileOf(format, { encoding: "utf-8", table }, counts, shown),
    present: counts.present,
  };
}

function shownText(value: JsonValue): string {
  return typeof value === "string" ? value : stringifyJson(value);
}

function count(
  row: { readonly [key: string]: JsonValue },
  columns: Map<string, number>,
  counts: TableCounts,
): void {
  const keys = Object.keys(row);
  for (let at = 0; at < keys.length; at++) {
    const name = keys[at] ?? "";
    // Objects of one table usually have the same keys in the same order.
    let column = counts.names[at] === name ? at : columns.get(name);
    if (column === undefined) {
      column = columns.size;
      if (column === COLUMNS_MAX) {
        throw new DatasetError(
          "invalid_data",
          `The objects of the table have more than ${COLUMNS_MAX} different keys. Put varying keys into a nested object.`,
        );
      }
      columns.set(name, column);
      counts.names.push(name);
    }
    const value = row[name] ?? null;
    const kind = valueKind(value);
    if (counts.cells.add(column, kind)) {
      counts.sawFirst(column, kind, shownText(value));
    }
  }
}
