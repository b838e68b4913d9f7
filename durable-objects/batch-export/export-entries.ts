import {
  type BatchExportsApi,
  EXPORT_FORMATS,
  type ExportColumns,
  type ExportRequest,
  type InputColumn,
} from "../../src/contracts/batches/batch-export.ts";
import {
  flag,
  list,
  literal,
  nullable,
  object,
  text,
  version,
  whole,
} from "../../src/lib/json/shape.ts";
import type { Entries } from "../shared/entries.ts";

type Argument<M extends keyof BatchExportsApi> = Parameters<BatchExportsApi[M]>[0];

const of = {
  v: version(1),
  workspace_id: text,
  batch_id: text,
  format: literal(...EXPORT_FORMATS),
  attempt: whole,
};

/** Of the object of an export, and of the runner's entry point to all of them. */
export const EXPORT_ENTRIES: Entries<BatchExportsApi> = {
  request: [
    object<ExportRequest>({
      ...of,
      inputs: flag,
      raw: flag,
      workflow_name: text,
      total_items: whole,
      ended_at_ms: whole,
      base_url: text,
      kept_ms: whole,
      columns: nullable(
        object<ExportColumns>({
          inputs: list(
            object<InputColumn>({
              key: text,
              node_id: text,
              parameter: nullable(text),
              kind: literal("text", "json", "batch"),
            }),
          ),
          outputs: list(text),
        }),
      ),
    }),
  ],
  status: [object<Argument<"status">>(of)],
  fileKey: [object<Argument<"fileKey">>({ ...of, part: whole })],
};
