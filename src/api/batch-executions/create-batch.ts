import * as z from "zod";
import { CreateBatch } from "../../contracts/batches/batch.ts";
import { createBatch as create } from "../../domain/batches/create/create-batch.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import {
  BATCH_RESPONSE,
  batchReply,
  CHANGE_BATCHES,
  CLIENT_KIND,
  CREATION_ERRORS,
  idempotencyOf,
  isAgentCall,
  PREFER,
} from "./batch-route.ts";
import { fingerprintBatch, readBatchBody } from "./read-batch-body.ts";

export const createBatch = defineEndpoint({
  method: "post",
  path: "/api/v1/batch-executions",
  operationId: "createBatchExecution",
  summary: "Create a batch",
  description:
    "Runs a published workflow once for each of up to 10,000 items, in the order of their index, from a list or from the rows of a stored table. All items are checked before anything is made; the version is fixed then. The body has at most 16 MiB.",
  tag: "Batch executions",
  access: CHANGE_BATCHES,
  // The workflow and the inputs of samples/greeting-card.json.
  example: {
    workflow: "wf_0190f3a27c1e70008000000000000000",
    common_inputs: { link: { value: '"https://example.com/party"' } },
    items: [
      { inputs: { name: { value: '"Ada Lovelace"' } }, client_reference: "guest 1" },
      { inputs: { name: { value: '"Grace Hopper"' } }, client_reference: "guest 2" },
    ],
  },
  createsOnce: true,
  rawBody: { contentType: "application/json", schema: CreateBatch },
  request: {
    headers: z.object({ prefer: PREFER, "x-client-kind": CLIENT_KIND }),
  },
  responses: { 202: BATCH_RESPONSE },
  errors: [...CREATION_ERRORS, "insufficient_credits"],
  handle: async (ctx, { headers, creation }, c) => {
    const body = await readBatchBody(ctx, c.req.raw);
    const { state, isReplay } = await create(ctx, {
      ...body,
      isAgent: isAgentCall(ctx, headers["x-client-kind"]),
      idempotency: idempotencyOf(creation, () => fingerprintBatch(body)),
    });
    return { status: 202, ...(await batchReply(ctx, state, headers.prefer, isReplay)) };
  },
});
