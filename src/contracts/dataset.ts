/** Datasets: tables in files (docs/contract/datasets.md#inspection, docs/contract/datasets.md#rows). */
import * as z from "zod";
import type { JsonValue } from "../lib/json/exact-json.ts";
import type { WarningCode } from "../lib/errors/warning-guides.ts";
import { LIMITS } from "../lib/limits/limits-table.ts";

export const DATASET_FORMATS = ["csv", "tsv", "json", "ndjson", "xlsx"] as const;
export type DatasetFormat = (typeof DATASET_FORMATS)[number];

export const COLUMN_TYPES = ["text", "number", "boolean", "date", "json"] as const;
export type ColumnType = (typeof COLUMN_TYPES)[number];

export const FORMULA_POLICIES = ["cached_value", "reject"] as const;

export const SAMPLE_ROWS_MAX = LIMITS.dataset_sample.value;
export const DATASET_ROWS_MAX = LIMITS.dataset_rows.value;

/** Options for reading a file as a table. */
export interface DatasetOptions {
  readonly format: DatasetFormat | "auto";
  /** From 1. */
  readonly headerRow: number;
  readonly locale: string;
  readonly sampleRows: number;
  /** A dataset with more rows is rejected; null means no limit. */
  readonly maxRows: number | null;
  /** One character; null means automatic detection. */
  readonly delimiter: string | null;
  /** JSON path of the array, or name of the worksheet; null if the file has only one. */
  readonly table: string | null;
  readonly formulaPolicy: (typeof FORMULA_POLICIES)[number];
}

/** A delimiter that equals a quote, a line break or a digit would make every file a wrong table. */
export const delimiterField = z
  .string()
  .regex(/^[!#$%&'()*+,/:;<=>?@[\\\]^`{|}~\t]$/, "Must be one character such as , ; | or a tab.");

/** Body of `POST /structured-data/inspect`. */
export const InspectRequest = z.strictObject({
  asset_path: z.string().min(1).max(LIMITS.asset_path.value),
  format: z.enum(["auto", ...DATASET_FORMATS]).default("auto"),
  header_row: z.int().min(1).max(DATASET_ROWS_MAX).default(1),
  locale: z.string().min(1).max(LIMITS.locale.value).default("invariant"),
  sample_rows: z.int().min(0).max(SAMPLE_ROWS_MAX).default(20),
  max_rows: z.int().min(1).max(DATASET_ROWS_MAX).nullish(),
  delimiter: delimiterField.nullish(),
  table: z.string().min(1).max(LIMITS.dataset_table.value).nullish(),
  formula_policy: z.enum(FORMULA_POLICIES).default("cached_value"),
});
export type InspectRequest = z.output<typeof InspectRequest>;

export const DatasetWarningCode = z.enum([
  "COLUMN_MIXED",
  "CSV_AMBIGUOUS_NUMBER",
  "CSV_WINDOWS_1252",
  "XLSX_ERROR_VALUE",
  "XLSX_FORMULA_CACHED_VALUE",
  "XLSX_MERGED_CELLS",
] as const satisfies readonly WarningCode[]);

const Warning = z.object({
  code: DatasetWarningCode.describe("Stable code of the warning."),
  column: z.string().optional().describe("The column that the warning is about."),
  message: z.string().describe("What the warning means, for people."),
  type: z
    .enum(["number", "boolean", "date"])
    .optional()
    .describe("Of `COLUMN_MIXED`: what most cells are."),
  others: z.int().optional().describe("Of `COLUMN_MIXED`: how many cells are not of that type."),
  first_row: z.int().optional().describe("Of `COLUMN_MIXED`: the first row of those, from 1."),
  example: z.string().optional().describe("Of `COLUMN_MIXED`: that cell, cut to 40 characters."),
});
export type DatasetWarning = z.infer<typeof Warning>;

const JsonAny = z.custom<JsonValue>((value) => value !== undefined);

/**
 * The result of an inspection (docs/contract/datasets.md#inspection): exact row count, columns, a
 * bounded sample and warnings.
 */
export const DatasetProfile = z.object({
  schema: z.literal("svc.dataset-profile/v1").describe("Name of this contract."),
  format: z.enum(DATASET_FORMATS).describe("The format that the file was read as."),
  encoding: z
    .enum(["utf-8", "windows-1252"])
    .nullable()
    .describe("Encoding of a text file; null for a workbook."),
  delimiter: z
    .string()
    .nullable()
    .describe("Character between the cells of a row; null where the format has none."),
  table: z
    .string()
    .nullable()
    .describe(
      "The worksheet, or the JSON path of the array, that was read; null where there is one only.",
    ),
  row_count: z.int().min(0).describe("How many rows the table has, without its header."),
  columns: z
    .array(
      z.object({
        name: z.string().describe("Name of the column."),
        type: z.enum(COLUMN_TYPES).describe("Type of its cells."),
        nullable: z.boolean().describe("Whether some cell is empty."),
        warnings: z.array(z.string()).describe("Codes of the warnings about the column."),
      }),
    )
    .describe("The columns, in the order of the file."),
  sample: z
    .array(z.record(z.string(), JsonAny))
    .describe("The first rows, as objects by column name."),
  warnings: z.array(Warning).describe("What may be read otherwise than expected."),
});
export type DatasetProfile = z.infer<typeof DatasetProfile>;

const sha256Field = z.string().regex(/^[0-9a-f]{64}$/);

/** The location of a dataset's rows and their expected digest (docs/contract/datasets.md#rows). */
const RowStore = z.strictObject({
  /** Key of the index in the workspace's storage. */
  key: z.string().min(1).max(LIMITS.asset_path.value),
  size_bytes: z.int().min(0),
  sha256: sha256Field,
});

/** `svc.dataset/v1`: the output of `input/data`. */
export const DatasetManifest = z.strictObject({
  schema: z.literal("svc.dataset/v1"),
  /** The same file, read with the same options, has the same id and therefore the same row ids. */
  dataset_id: z.string().regex(/^ds_[0-9a-f]{32}$/),
  format: z.enum(DATASET_FORMATS),
  table: z.string().nullable(),
  locale: z.string(),
  row_count: z.int().min(0),
  columns: z.array(
    z.strictObject({
      name: z.string(),
      type: z.enum(COLUMN_TYPES),
      /** Number of rows with a value in the column. */
      present: z.int().min(0),
    }),
  ),
  source: z.strictObject({ name: z.string(), size_bytes: z.int().min(0), etag: z.string() }),
  row_store: RowStore,
});
export type DatasetManifest = z.infer<typeof DatasetManifest>;

/** Text of the object at a manifest's `row_store`. */
export const RowStoreIndex = z.strictObject({
  v: z.literal(1),
  dataset_id: z.string(),
  row_count: z.int().min(0),
  chunks: z.array(
    z.strictObject({
      key: z.string().min(1).max(LIMITS.asset_path.value),
      first_row: z.int().min(0),
      rows: z.int().min(1),
      size_bytes: z.int().min(1),
      sha256: sha256Field,
    }),
  ),
});
export type RowStoreIndex = z.infer<typeof RowStoreIndex>;
