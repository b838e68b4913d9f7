import { DatasetProfile, InspectRequest } from "../../contracts/dataset.ts";
import { inspectDataset as inspect } from "../../domain/datasets/inspect-dataset.ts";
import { defineEndpoint } from "../define-endpoint.ts";

export const inspectDataset = defineEndpoint({
  method: "post",
  path: "/api/v1/structured-data/inspect",
  operationId: "inspectDataset",
  summary: "Profile a dataset",
  description:
    "Reads a CSV, TSV, JSON, NDJSON or XLSX asset as a table: exact row count, columns with probable types, a bounded sample, warnings. Does not run a workflow and is free of charge.",
  tag: "Assets",
  access: { scope: "assets:read", permission: "ws:assets:read" },
  example: { asset_path: "assets/prices.csv", locale: "de-DE", sample_rows: 5 },
  isReadOnly: true,
  request: { body: InspectRequest },
  responses: { 200: { description: "The profile", body: DatasetProfile } },
  errors: [
    "not_found",
    "forbidden",
    "source_changed",
    "file_too_large",
    "unsupported_format",
    "duplicate_column",
    "ambiguous_table",
    "invalid_data",
    "row_limit_exceeded",
  ],
  // Sample values keep their own digits: exact numbers are written as their tokens.
  handle: async (ctx, { body }) => ({ status: 200, body: await inspect(ctx, body) }),
});
