import * as z from "zod";
import {
  compileTableColumns,
  mappedColumn,
  mappedColumnsField,
  tableColumnPorts,
} from "../../expressions/table-columns.ts";
import type { ReadingNotes } from "../../contracts/reading-notes.ts";
import { maySkipRows } from "../../expressions/cell-policy.ts";
import type { JsonValue } from "../../lib/json/exact-json.ts";
import { columnPortsOf } from "../define-column-ports.ts";
import { defineNode } from "../define-node.ts";
import type { NodeOutputs } from "../define-ports.ts";
import type { DatasetReaders } from "../define-dataset-tools.ts";

const OWN_PORTS = ["values", "row_index", "row_id"];

const params = z.strictObject({
  rowMapping: z
    .strictObject({ columns: mappedColumnsField(OWN_PORTS).default([]) })
    .prefault({})
    .meta({
      title: "Columns",
      description:
        "Columns of the dataset that get an output port of their own, and computed ones.",
    }),
});

const selectedColumns = ({ rowMapping }: z.output<typeof params>) =>
  rowMapping.columns.filter(({ selected }) => selected).map(mappedColumn);

export const enumerateDataRows = defineNode({
  type: "enumerate/data_rows",
  version: "1.2",
  name: "For each row",
  description: "Runs the following nodes once for each row of a dataset.",
  whenToUse: "After input/data, to work on every row of a file.",
  subCategory: "iteration",
  status: "stable",
  icon: "rows",
  color: "#7c3aed",
  inputs: [{ name: "dataset", type: "dataset", label: "Dataset" }],
  outputs: [
    { name: "values", type: "json", label: "Whole row", enumerable: true },
    { name: "row_index", type: "number", label: "Index, from 0", enumerable: true },
    { name: "row_id", type: "text", label: "Id of the row", enumerable: true },
  ],
  params,
  dynamicPorts: {
    descriptors: [
      { ...columnPortsOf("rowMapping", "columns", OWN_PORTS), selected_field: "selected" },
    ],
    resolve: (given) => ({ outputs: tableColumnPorts(selectedColumns(given)) }),
  },
  role: "enumerator",
  rowsOf: "dataset",
  columnsOf: (given) =>
    selectedColumns(given).flatMap(({ source, isComputed }) =>
      source === undefined || isComputed ? [] : [source],
    ),
  rowTest(given) {
    const columns = selectedColumns(given);
    if (!maySkipRows(columns)) {
      return undefined;
    }
    const reader = compileTableColumns(columns);
    return (row) => reader.read(row, new Map()) !== undefined;
  },
  work: ({ rowMapping }) => 10 + 5 * rowMapping.columns.length,
  needs: ["datasets"],
  stream: ({ datasets }, inputs, given) =>
    dataRows(datasets, inputs.json("dataset"), selectedColumns(given)),
});

async function* dataRows(
  datasets: DatasetReaders,
  manifest: JsonValue,
  columns: ReturnType<typeof selectedColumns>,
): AsyncGenerator<NodeOutputs, ReadingNotes | undefined> {
  const reader = compileTableColumns(columns);
  for await (const row of datasets.rows(manifest)) {
    const outputs = new Map<string, JsonValue>([
      ["values", row.values],
      ["row_index", row.index],
      ["row_id", row.id],
    ]);
    if (reader.read(row, outputs) !== undefined) {
      yield outputs;
    }
  }
  return reader.notes;
}
