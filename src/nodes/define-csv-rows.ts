/** What the nodes that run once for each row of a CSV have in common: their columns, and the reading of rows. */
import * as z from "zod";
import type { ReadingNotes } from "../contracts/reading-notes.ts";
import { maySkipRows } from "../expressions/cell-policy.ts";
import {
  compileTableColumns,
  csvColumn,
  csvColumnsField,
  tableColumnPorts,
} from "../expressions/table-columns.ts";
import type { JsonValue } from "../lib/json/exact-json.ts";
import { columnPortsOf } from "./define-column-ports.ts";
import type { NodeOutputs } from "./define-ports.ts";
import type { TableRow } from "./define-dataset-tools.ts";

/** The columns that get ports; `ownPorts` are the names that the node's own ports have. */
export function csvConfigField(ownPorts: readonly string[]) {
  return z
    .strictObject({ columns: csvColumnsField(ownPorts).default([]) })
    .prefault({})
    .meta({
      title: "Columns",
      description: "Columns of the file that get an output port of their own, and computed ones.",
    });
}

type CsvConfig = z.output<ReturnType<typeof csvConfigField>>;

interface CsvParameters {
  readonly csvConfig: CsvConfig;
  readonly delimiter?: string | null | undefined;
}

export function csvPorts(ownPorts: readonly string[]) {
  return {
    descriptors: [columnPortsOf("csvConfig", "columns", ownPorts)],
    resolve: ({ csvConfig }: CsvParameters) => ({
      outputs: tableColumnPorts(csvConfig.columns.map(csvColumn)),
    }),
  };
}

/** How the file is read. */
export function csvOptions({ csvConfig, delimiter }: CsvParameters) {
  return {
    ...(typeof delimiter === "string" ? { delimiter } : {}),
    isWhole: maySkipRows(csvConfig.columns),
  };
}

/** One element for each row that its columns do not skip: `item`, and with `hasIndex` the row's number from 0. */
export async function* csvItems(
  rows: AsyncIterable<TableRow>,
  { columns }: CsvConfig,
  { hasIndex = false } = {},
): AsyncGenerator<NodeOutputs, ReadingNotes | undefined> {
  const reader = compileTableColumns(columns.map(csvColumn));
  for await (const row of rows) {
    const outputs = new Map<string, JsonValue>(hasIndex ? [["index", row.index]] : []);
    const fields = reader.read(row, outputs);
    if (fields !== undefined) {
      outputs.set("item", fields);
      yield outputs;
    }
  }
  return reader.notes;
}
