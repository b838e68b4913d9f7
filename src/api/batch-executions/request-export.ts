import { BatchExport, CreateBatchExport } from "../../contracts/batches/batch-export.ts";
import { requestExport as request } from "../../domain/batches/batch-exports.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { BATCH_ERRORS, BATCH_PARAMS, READ_BATCHES } from "./batch-route.ts";

export const requestExport = defineEndpoint({
  method: "post",
  path: "/api/v1/batch-executions/{id}/exports",
  operationId: "requestBatchExport",
  summary: "Export the results of a batch",
  description:
    "For a batch that has ended: a row for each item, as CSV, JSON, NDJSON or XLSX, or as ZIP with the files of all runs. Repeating the request changes nothing, except that a failed export, or one with other options, is built again.",
  tag: "Batch executions",
  access: READ_BATCHES,
  request: { params: BATCH_PARAMS, body: CreateBatchExport },
  responses: {
    200: { description: "The export exists", body: BatchExport },
    202: { description: "It is being built: poll its status", body: BatchExport },
  },
  errors: [
    ...BATCH_ERRORS,
    "invalid_request",
    "validation_error",
    "not_completed",
    "outputs_expired",
  ],
  handle: async (ctx, { params, body: { format, inputs = false, raw = false } }) => {
    const { existed, status } = await request(ctx, params.id, { format, inputs, raw });
    return existed ? { status: 200, body: status } : { status: 202, body: status };
  },
});
