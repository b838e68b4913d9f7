import * as z from "zod";
import { BatchExport, ExportFormatField } from "../../contracts/batches/batch-export.ts";
import { readExport } from "../../domain/batches/batch-exports.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { ETAG, IF_NONE_MATCH, NOT_MODIFIED, taggedReply } from "../tagged-reply.ts";
import { BATCH_ERRORS, BATCH_PARAMS, READ_BATCHES } from "./batch-route.ts";

export const EXPORT_PARAMS = BATCH_PARAMS.extend({ format: ExportFormatField });

export const getExport = defineEndpoint({
  method: "get",
  path: "/api/v1/batch-executions/{id}/exports/{format}",
  operationId: "getBatchExport",
  summary: "Read the status of a batch's export",
  description:
    "Poll this while `status` is `building`. `files` lists the files once it is `completed`. After a retry of the batch, and at the end of its retention, an export is `not_requested`.",
  tag: "Batch executions",
  access: READ_BATCHES,
  request: { params: EXPORT_PARAMS, headers: z.object(IF_NONE_MATCH) },
  responses: {
    200: {
      description: "The export",
      body: BatchExport,
      headers: { ...ETAG, "Cache-Control": "`private, no-cache`" },
    },
    304: NOT_MODIFIED,
  },
  errors: [...BATCH_ERRORS, "validation_error"],
  handle: async (ctx, { params, headers }) =>
    await taggedReply(await readExport(ctx, params.id, params.format), headers["if-none-match"]),
});
