import { cancelBatch as cancel, showBatch } from "../../domain/batches/read-batch.ts";
import { BatchExecution } from "../../contracts/batches/batch.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { replayHeaders } from "../replay-headers.ts";
import { BATCH_ERRORS, BATCH_PARAMS, CHANGE_BATCHES, idempotencyOf } from "./batch-route.ts";

export const cancelBatch = defineEndpoint({
  method: "post",
  path: "/api/v1/batch-executions/{id}/cancel",
  operationId: "cancelBatchExecution",
  summary: "Cancel a batch",
  description:
    "No item is accepted after the response, and live runs are cancelled. The batch is `cancelled` once they have ended. Cancelling again changes nothing.",
  tag: "Batch executions",
  access: CHANGE_BATCHES,
  createsOnce: true,
  request: { params: BATCH_PARAMS },
  responses: { 200: { description: "The batch", body: BatchExecution } },
  errors: [...BATCH_ERRORS, "invalid_state"],
  handle: async (ctx, { params, creation }) => {
    const { state, is_replay } = await cancel(ctx, params.id, idempotencyOf(creation));
    return { status: 200, body: await showBatch(ctx, state), headers: replayHeaders(is_replay) };
  },
});
