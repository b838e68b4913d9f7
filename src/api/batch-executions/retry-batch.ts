import * as z from "zod";
import { RetryBatch } from "../../contracts/batches/batch.ts";
import { retryBatch as retry } from "../../domain/batches/read-batch.ts";
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

export const retryBatch = defineEndpoint({
  method: "post",
  path: "/api/v1/batch-executions/{id}/retry",
  operationId: "retryBatchExecution",
  summary: "Retry the failed items of a batch",
  description:
    "For a batch that has ended. Each failed or cancelled item continues its run: what has succeeded in it is taken over, and only the rest runs and is charged. Items that completed keep their run. The body is optional.",
  tag: "Batch executions",
  access: CHANGE_BATCHES,
  createsOnce: true,
  request: {
    params: BATCH_PARAMS,
    headers: z.object({ prefer: PREFER }),
    body: RetryBatch,
    isBodyOptional: true,
  },
  responses: { 202: BATCH_RESPONSE },
  errors: [
    ...BATCH_ERRORS,
    "invalid_request",
    "validation_error",
    "invalid_state",
    "no_failed_items",
    "workflow_not_found",
    "workflow_not_published",
    "invalid_version",
    "version_not_available",
  ],
  handle: async (ctx, { params, headers, body, creation }) => {
    const { state, is_replay } = await retry(ctx, params.id, {
      includePartial: body.include_partial ?? false,
      version: body.version,
      idempotency: idempotencyOf(creation),
    });
    return { status: 202, ...(await batchReply(ctx, state, headers.prefer, is_replay)) };
  },
});
