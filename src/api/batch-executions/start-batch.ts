import * as z from "zod";
import { startBatch as start } from "../../domain/batches/read-batch.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import {
  BATCH_ERRORS,
  BATCH_PARAMS,
  BATCH_RESPONSE,
  batchReply,
  CHANGE_BATCHES,
  idempotencyOf,
  PREFER,
} from "./batch-route.ts";

export const startBatch = defineEndpoint({
  method: "post",
  path: "/api/v1/batch-executions/{id}/start",
  operationId: "startBatchExecution",
  summary: "Start a batch",
  description: "For a batch that was created with `start: false`. Its workflow must be published.",
  tag: "Batch executions",
  access: CHANGE_BATCHES,
  createsOnce: true,
  request: { params: BATCH_PARAMS, headers: z.object({ prefer: PREFER }) },
  responses: { 202: BATCH_RESPONSE },
  errors: [...BATCH_ERRORS, "invalid_state", "workflow_not_published", "insufficient_credits"],
  handle: async (ctx, { params, headers, creation }) => {
    const { state, is_replay } = await start(ctx, params.id, idempotencyOf(creation));
    return { status: 202, ...(await batchReply(ctx, state, headers.prefer, is_replay)) };
  },
});
