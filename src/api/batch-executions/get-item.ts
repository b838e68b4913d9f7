import * as z from "zod";
import { BatchItem } from "../../contracts/batches/batch.ts";
import { itemView } from "../../domain/batches/batch-view.ts";
import { readBatch, readItem } from "../../domain/batches/read-batch.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { ETAG, IF_NONE_MATCH, NOT_MODIFIED, taggedReply } from "../tagged-reply.ts";
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
    headers: z.object(IF_NONE_MATCH),
  },
  responses: {
    200: { description: "The item", body: BatchItem, headers: ETAG },
    304: NOT_MODIFIED,
  },
  errors: BATCH_ERRORS,
  handle: async (ctx, { params, headers }) => {
    const { record } = await readBatch(ctx, params.id);
    const row = await readItem(ctx, params.id, params.item);
    const item = itemView(record.id, record.created_at_ms, row);
    return await taggedReply(item, headers["if-none-match"]);
  },
});
