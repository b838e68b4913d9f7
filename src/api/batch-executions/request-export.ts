import { BatchExport, CreateBatchExport } from "../../contracts/batches/batch-export.ts";
import { readExport, requestExport as request } from "../../domain/batches/batch-exports.ts";
import { createOnce } from "../../domain/idempotency/create-once.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { replayHeaders } from "../replay-headers.ts";
import { BATCH_ERRORS, BATCH_PARAMS, READ_BATCHES } from "./batch-route.ts";

export const requestExport = defineEndpoint({
  method: "post",
  path: "/api/v1/batch-executions/{id}/exports",
  operationId: "requestBatchExport",
  summary: "Export the results of a batch",
  description:
    "For a batch that has ended: a row for each item, as CSV, JSON, NDJSON or XLSX, or as ZIP with the files of all runs. Repeating the request changes nothing, except that a failed export, or one with other options, is built again.",
  tag: "Batch executions",
  // As the run's own export: it shows nothing that the caller cannot read (docs/decisions/exports.md).
  access: READ_BATCHES,
  createsOnce: true,
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
  handle: async (ctx, { params, body: { format, inputs = false, raw = false }, creation }) => {
    const { value, isReplay } = await createOnce(ctx, creation, {
      create: async (claim) => {
        const { existed, status } = await request(ctx, params.id, { format, inputs, raw });
        const requested = { code: existed ? 200 : 202, status };
        // Requested again after a crash before this, the export is the same one.
        await claim?.settle(format, requested.code);
        return requested;
      },
      replay: async ({ status }) => ({
        code: status,
        status: await readExport(ctx, params.id, format),
      }),
    });
    const reply = { body: value.status, headers: replayHeaders(isReplay) };
    return value.code === 200 ? { status: 200, ...reply } : { status: 202, ...reply };
  },
});
