import * as z from "zod";
import { BatchList, BatchStatusField } from "../../contracts/batches/batch.ts";
import { clientReferenceField } from "../../contracts/runs/run-origin.ts";
import { listBatches as list } from "../../domain/batches/read-batch.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";
import { cursorField, limitField, timeField } from "../query-fields.ts";
import { READ_BATCHES } from "./batch-route.ts";

export const listBatches = defineEndpoint({
  method: "get",
  path: "/api/v1/batch-executions",
  operationId: "listBatchExecutions",
  summary: "List batches",
  description: "Newest first. A batch that was created appears in the next list.",
  tag: "Batch executions",
  access: READ_BATCHES,
  request: {
    query: z.object({
      limit: limitField(),
      starting_after: cursorField,
      status: BatchStatusField.optional(),
      workflow: idField("workflow").optional(),
      client_reference: clientReferenceField
        .optional()
        .describe("Only batches with exactly this reference."),
      created_after: timeField.optional(),
      created_before: timeField.optional(),
    }),
    codes: { "query.status": "invalid_status" },
  },
  responses: { 200: { description: "A page of batches", body: BatchList } },
  errors: ["invalid_request", "invalid_id", "invalid_status", "validation_error"],
  handle: async (ctx, { query }) => ({
    status: 200,
    body: await list(ctx, {
      limit: query.limit,
      starting_after: query.starting_after ?? null,
      status: query.status ?? null,
      workflow_id: query.workflow ?? null,
      client_reference: query.client_reference ?? null,
      created_after_ms: query.created_after ?? null,
      created_before_ms: query.created_before ?? null,
    }),
  }),
});
