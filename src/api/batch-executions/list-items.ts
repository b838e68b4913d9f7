import * as z from "zod";
import { BatchItemList, ItemStatusField } from "../../contracts/batches/batch.ts";
import { clientReferenceField } from "../../contracts/runs/run-origin.ts";
import { itemId, itemView } from "../../domain/batches/batch-view.ts";
import { listItems as list, readBatch } from "../../domain/batches/read-batch.ts";
import { pageOf } from "../../domain/list-page.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { cursorField, limitField } from "../query-fields.ts";
import { BATCH_ERRORS, BATCH_PARAMS, READ_BATCHES } from "./batch-route.ts";

/** Items of a page without `limit`. */
const ITEMS_DEFAULT = 50;

export const listItems = defineEndpoint({
  method: "get",
  path: "/api/v1/batch-executions/{id}/items",
  operationId: "listBatchItems",
  summary: "List the items of a batch",
  description: "In the order of their index, 50 on a page unless `limit` says otherwise.",
  tag: "Batch executions",
  access: READ_BATCHES,
  request: {
    params: BATCH_PARAMS,
    query: z.object({
      limit: limitField(ITEMS_DEFAULT),
      starting_after: cursorField,
      status: ItemStatusField.optional(),
      client_reference: clientReferenceField
        .optional()
        .describe("Only items with exactly this reference."),
    }),
    codes: { "query.status": "invalid_status" },
  },
  responses: { 200: { description: "A page of items", body: BatchItemList } },
  errors: [...BATCH_ERRORS, "invalid_request", "invalid_status", "validation_error"],
  handle: async (ctx, { params, query }) => {
    const { record } = await readBatch(ctx, params.id);
    const found = await list(ctx, params.id, {
      limit: query.limit,
      startingAfter: query.starting_after,
      status: query.status ?? null,
      clientReference: query.client_reference ?? null,
    });
    const body = pageOf(
      found,
      query.limit,
      (row) => itemView(record.id, record.created_at_ms, row),
      ({ index }) => itemId(record.id, index),
    );
    return { status: 200, body };
  },
});
