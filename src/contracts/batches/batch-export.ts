/** Exports of batches (docs/contract/batches.md#exports): the public status, and the messages between the two Workers. */
import * as z from "zod";
import type { Result } from "../../lib/result.ts";
import { timestampField } from "../timestamp.ts";

export const EXPORT_FORMATS = ["json", "ndjson", "csv", "xlsx", "zip"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export const ExportFormatField = z.enum(EXPORT_FORMATS).meta({ id: "BatchExportFormat" });

/** Body of a request for an export. */
export const CreateBatchExport = z
  .strictObject({
    format: ExportFormatField.describe("Format of the files."),
    inputs: z
      .boolean()
      .optional()
      .describe("Whether rows have the inputs of their items; false if omitted."),
    raw: z
      .boolean()
      .optional()
      .describe(
        "Whether texts in CSV that a spreadsheet may take for a formula stay as they are; false if omitted.",
      ),
  })
  .meta({ id: "CreateBatchExport" });

const BatchExportFile = z.object({
  part_index: z.int().describe("Number of the file in the export, from 1."),
  total_parts: z.int().describe("How many files the export has."),
  download_file_name: z.string().describe("Name that a download is saved as."),
  size_bytes: z.int().describe("Size of the file in bytes."),
});

export const BatchExport = z
  .object({
    format: ExportFormatField.describe("Format of the files."),
    status: z
      .enum(["not_requested", "building", "completed", "failed"])
      .describe("`completed` when the files can be downloaded."),
    progress_percent: z.int().min(0).max(100).describe("100 only when `completed`."),
    row_count: z.int().describe("Rows that were written; each item has one."),
    size_bytes: z.int().describe("Bytes that were written."),
    completed_at: timestampField.nullable().describe("When it was finished; null until then."),
    error_message: z.string().nullable().describe("Why the last build `failed`."),
    files: z.array(BatchExportFile).describe("The files, once all are there."),
  })
  .meta({ id: "BatchExport" });
export type BatchExport = z.infer<typeof BatchExport>;

/** An input of the batch's interface: the value of an input node, or of a parameter. */
export interface InputColumn {
  readonly key: string;
  readonly node_id: string;
  readonly parameter: string | null;
  /** `text`: a string is shown without quotes. `batch`: the item of a node `input/batch`, as JSON. */
  readonly kind: "text" | "json" | "batch";
}

/** Keys of the rows' inputs and outputs, in order. */
export interface ExportColumns {
  readonly inputs: readonly InputColumn[];
  readonly outputs: readonly string[];
}

interface OfExport {
  readonly v: 1;
  readonly workspace_id: string;
  readonly batch_id: string;
  readonly format: ExportFormat;
  /** The attempt of the batch whose results are asked for. An export of another one is not there. */
  readonly attempt: number;
}

export interface ExportRequest extends OfExport {
  readonly inputs: boolean;
  readonly raw: boolean;
  readonly workflow_name: string;
  readonly total_items: number;
  readonly ended_at_ms: number;
  readonly base_url: string;
  /** How long the finished export is kept, in milliseconds. */
  readonly kept_ms: number;
  /** Null if the definition is gone: they are taken from the runs. */
  readonly columns: ExportColumns | null;
}

/** RPC interface of the object of one export, and of the runner's entry point to all of them. */
export interface BatchExportsApi {
  /**
   * Begins the export, or again if it failed or was built with other options; `existed` if it is complete.
   * `outputs_expired` if there is nothing to export any more.
   */
  request(
    request: ExportRequest,
  ): Promise<Result<{ readonly existed: boolean; readonly status: BatchExport }>>;
  status(request: OfExport): Promise<BatchExport>;
  /** The R2 key of a file of the completed export; null if there is none. */
  fileKey(request: OfExport & { readonly part: number }): Promise<string | null>;
}
