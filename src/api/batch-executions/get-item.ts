import * as z from "zod";
import { BatchItem } from "../../contracts/batches/batch.ts";
import { itemView } from "../../domain/batches/batch-view.ts";
import { readBatch, readItem } from "../../domain/batches/read-batch.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { BATCH_ERRORS, BATCH_PARAMS, READ_BATCHES } from "./batch-route.ts";

export const getItem = defineEndpoint({
  method: "get",
  path: "/api/v1/batch-executions/{id}/items/{item}",
  operationId: "getBatchItem",
  summary: "Get an item of a batch",
  description: "With its runs, oldest first; `execution` is the last.",
  tag: "Batch executions",
  access: READ_BATCHES,
  request: {
    params: BATCH_PARAMS.extend({
      item: z.string().max(LIMITS.resource_id.value).describe("`bit_…`, or the index of the item."),
    }),
  },
  responses: { 200: { description: "The item", body: BatchItem } },
  errors: BATCH_ERRORS,
  handle: async (ctx, { params }) => {
    const { record } = await readBatch(ctx, params.id);
    const row = await readItem(ctx, params.id, params.item);
    return { status: 200, body: itemView(record.id, record.created_at_ms, row) };
  },
});
