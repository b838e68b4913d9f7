import * as z from "zod";
import {
  DATASET_FORMATS,
  DATASET_ROWS_MAX,
  type DatasetOptions,
  delimiterField,
  FORMULA_POLICIES,
} from "../../contracts/dataset.ts";
import {
  defaultFileParameters,
  inputParameters,
  integerField,
} from "../../contracts/workflows/node-parameters.ts";
import { asJson } from "../../lib/json/exact-json.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import { defineNode } from "../define-node.ts";
import type { RunValue } from "../define-ports.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

const SAMPLE_ROWS = 20;

const params = z.strictObject({
  ...inputParameters,
  ...defaultFileParameters,
  format: z
    .enum(["auto", ...DATASET_FORMATS])
    .default("auto")
    .meta({
      title: "Format",
      description: "How the file is read; `auto` detects the format from its name and bytes.",
    }),
  table: z.string().min(1).max(LIMITS.dataset_table.value).nullish().meta({
    title: "Table",
    description: "JSON: path of the array, such as `$.orders`. XLSX: name of the worksheet.",
  }),
  headerRow: integerField(1, DATASET_ROWS_MAX).default(1).meta({
    title: "Header row",
    description: "The row, from 1, that names the columns.",
    advanced: true,
  }),
  locale: z.string().min(1).max(LIMITS.locale.value).default("invariant").meta({
    title: "Locale",
    description:
      "The number format: a tag such as `de-DE`; `invariant` accepts a dot as decimal separator only.",
  }),
  delimiter: delimiterField.nullish().meta({
    title: "Delimiter",
    description: "Of CSV; detected if omitted.",
    advanced: true,
  }),
  formulaPolicy: z.enum(FORMULA_POLICIES).default("cached_value").meta({
    title: "Formulas",
    description: "Of XLSX: use the values that the workbook stores, or reject formulas.",
    advanced: true,
  }),
  emptyBehavior: z.enum(["allow", "fail"]).default("allow").meta({
    title: "No rows",
    description: "Whether a table without rows fails the node.",
    advanced: true,
  }),
  maxRows: integerField(1, DATASET_ROWS_MAX).nullish().meta({
    title: "Most rows",
    description: "A table with more rows fails the node.",
    advanced: true,
  }),
});

function datasetOptions(options: z.output<typeof params>): DatasetOptions {
  return {
    format: options.format,
    headerRow: options.headerRow,
    locale: options.locale,
    sampleRows: SAMPLE_ROWS,
    maxRows: options.maxRows ?? null,
    delimiter: options.delimiter ?? null,
    table: options.table ?? null,
    formulaPolicy: options.formulaPolicy,
  };
}

const MB = 1024 * 1024;

export const inputData = defineNode({
  type: "input/data",
  version: "1.2",
  name: "Data file",
  description: "A table in a CSV, TSV, JSON, NDJSON or XLSX file; it is read once and profiled.",
  whenToUse: "To work on the rows of an uploaded file: connect `dataset` to enumerate/data_rows.",
  subCategory: "files",
  status: "stable",
  icon: "table",
  color: "#2563eb",
  inputs: [],
  outputs: [
    { name: "dataset", type: "dataset", label: "Dataset", schemaRef: "svc.dataset/v1" },
    { name: "profile", type: "json", label: "Profile", schemaRef: "svc.dataset-profile/v1" },
    { name: "row_count", type: "number", label: "Number of rows" },
  ],
  params,
  role: "input",
  inputKind: "any",
  files: {
    extensions: ["csv", "tsv", "txt", "json", "ndjson", "jsonl", "xlsx"],
    isOnly: true,
    defaultPath: ({ default: path, asset_path: other }) => path ?? other ?? undefined,
  },
  isRequired: ({ required }) => required,
  defaultValue: () => undefined,
  parse: () => ({ problem: "Must be a stored file: send its asset_path." }),
  datasetOptions,
  needs: ["datasets"],
  timeLimitMs: 300_000,
  // A chunk of rows as text and as bytes, twice; for a workbook also its shared strings.
  memoryBytes: (_params, [file]) => (file?.name.toLowerCase().endsWith(".xlsx") ? 64 : 32) * MB,
  async run(ctx, inputs, options) {
    const { manifest, profile } = await ctx.datasets.store(
      inputs.file("value"),
      datasetOptions(options),
    );
    if (manifest.row_count === 0 && options.emptyBehavior === "fail") {
      throw new NodeError(
        "DATASET_EMPTY",
        `"${manifest.source.name}" has no rows, which emptyBehavior rejects. Send a file with rows, or allow empty files.`,
      );
    }
    return new Map<string, RunValue>([
      ["dataset", manifest],
      ["profile", asJson(profile)],
      ["row_count", manifest.row_count],
    ]);
  },
});
