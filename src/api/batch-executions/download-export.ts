import * as z from "zod";
import { exportDownload } from "../../domain/batches/batch-exports.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { integerField } from "../query-fields.ts";
import { BATCH_ERRORS, READ_BATCHES } from "./batch-route.ts";
import { EXPORT_PARAMS } from "./get-export.ts";

export const downloadExport = defineEndpoint({
  method: "get",
  path: "/api/v1/batch-executions/{id}/exports/{format}/download",
  operationId: "downloadBatchExport",
  summary: "Download a file of a batch's export",
  description:
    "Redirects to an address of the file that needs no token. Follow it at once: if the deployment signs addresses, it expires after an hour.",
  tag: "Batch executions",
  access: READ_BATCHES,
  request: {
    params: EXPORT_PARAMS,
    query: z.object({ part: integerField({ min: 1, max: 1_000_000 }).default(1) }),
  },
  responses: {
    302: {
      description: "The file's address, which needs no token",
      headers: { Location: "Address of the file" },
    },
  },
  errors: [...BATCH_ERRORS, "validation_error"],
  handle: async (ctx, { params, query }) => ({
    status: 302,
    headers: {
      location: await exportDownload(ctx, params.id, params.format, query.part),
      "cache-control": "private, no-store",
    },
  }),
});
