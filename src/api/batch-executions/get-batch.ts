import * as z from "zod";
import { readBatch } from "../../domain/batches/read-batch.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { ETAG, IF_NONE_MATCH, NOT_MODIFIED, taggedReply } from "../tagged-reply.ts";
import {
  BATCH_ERRORS,
  BATCH_PARAMS,
  BATCH_RESPONSE,
  batchReply,
  PREFER,
  READ_BATCHES,
} from "./batch-route.ts";

export const getBatch = defineEndpoint({
  method: "get",
  path: "/api/v1/batch-executions/{id}",
  operationId: "getBatchExecution",
  summary: "Get a batch",
  description: "With its counters, which are of one moment and add up to `total_items`.",
  tag: "Batch executions",
  access: READ_BATCHES,
  request: { params: BATCH_PARAMS, headers: z.object({ prefer: PREFER, ...IF_NONE_MATCH }) },
  responses: {
    200: { ...BATCH_RESPONSE, headers: { ...BATCH_RESPONSE.headers, ...ETAG } },
    304: NOT_MODIFIED,
  },
  errors: BATCH_ERRORS,
  handle: async (ctx, { params, headers }) => {
    const state = await readBatch(ctx, params.id);
    const reply = await batchReply(ctx, state, headers.prefer);
    return await taggedReply(reply.body, headers["if-none-match"], reply.headers);
  },
});
