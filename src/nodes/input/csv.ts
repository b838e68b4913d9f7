import * as z from "zod";
import { delimiterField } from "../../contracts/dataset.ts";
import { inputParameters } from "../../contracts/node-parameters.ts";
import {
  compileTableColumns,
  csvColumn,
  csvColumnsField,
  tableColumnPorts,
} from "../../expressions/table-columns.ts";
import type { ReadingNotes } from "../../contracts/reading-notes.ts";
import { maySkipRows } from "../../expressions/cell-policy.ts";
import type { JsonValue } from "../../lib/exact-json.ts";
import { columnPortsOf } from "../define-column-ports.ts";
import { defineNode } from "../define-node.ts";
import type { NodeOutputs } from "../define-ports.ts";
import type { TableRow } from "../define-tools.ts";
import { LIMITS } from "../../lib/limits-table.ts";

const OWN_PORTS = ["item"];

const params = z.strictObject({
  ...inputParameters,
  default: z.string().min(1).max(LIMITS.dataset_option.value).nullish().meta({
    title: "Default file",
    description: "The asset_path to use when a run does not send one.",
  }),
  asset_path: z.string().min(1).max(LIMITS.dataset_option.value).nullish().meta({
    title: "File",
    description: "The same as `default`, which takes precedence.",
  }),
  csvConfig: z
    .strictObject({ columns: csvColumnsField(OWN_PORTS).default([]) })
    .prefault({})
    .meta({
      title: "Columns",
      description: "Columns of the file that get an output port of their own, and computed ones.",
    }),
  delimiter: delimiterField.nullish().meta({
    title: "Delimiter",
    description: "Detected if omitted.",
    advanced: true,
  }),
});

export const inputCsv = defineNode({
  type: "input/csv",
  version: "1.1",
  name: "CSV file",
  description: "A CSV file that the caller uploads; the following nodes run once for each row.",
  whenToUse:
    "To run a workflow over the rows of a small CSV. For profiles and other formats see input/data.",
  subCategory: "files",
  status: "stable",
  icon: "rows",
  color: "#2563eb",
  inputs: [],
  outputs: [{ name: "item", type: "any", label: "Row", enumerable: true }],
  params,
  dynamicPorts: {
    descriptors: [columnPortsOf("csvConfig", "columns", OWN_PORTS)],
    resolve: ({ csvConfig }) => ({ outputs: tableColumnPorts(csvConfig.columns.map(csvColumn)) }),
  },
  role: "input",
  inputKind: "any",
  files: {
    extensions: ["csv", "tsv", "txt"],
    isOnly: true,
    defaultPath: ({ default: path, asset_path: other }) => path ?? other ?? undefined,
  },
  work: ({ csvConfig }) => 10 + 5 * csvConfig.columns.length,
  isRequired: ({ required }) => required,
  defaultValue: () => undefined,
  parse: () => ({ problem: "Must be a stored file: send its asset_path." }),
  needs: ["datasets"],
  stream({ datasets }, inputs, { csvConfig, delimiter }) {
    const options = {
      ...(typeof delimiter === "string" ? { delimiter } : {}),
      isWhole: maySkipRows(csvConfig.columns),
    };
    const rows = datasets.csvRows(inputs.file("value"), options);
    return csvItems(rows, csvConfig.columns.map(csvColumn));
  },
});

async function* csvItems(
  rows: AsyncIterable<TableRow>,
  columns: readonly ReturnType<typeof csvColumn>[],
): AsyncGenerator<NodeOutputs, ReadingNotes | undefined> {
  const reader = compileTableColumns(columns);
  for await (const row of rows) {
    const outputs = new Map<string, JsonValue>();
    const fields = reader.read(row, outputs);
    if (fields !== undefined) {
      outputs.set("item", fields);
      yield outputs;
    }
  }
  return reader.notes;
}
