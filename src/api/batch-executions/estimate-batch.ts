import * as z from "zod";
import { BatchEstimate, CreateBatch } from "../../contracts/batches/batch.ts";
import { estimateBatch as estimate } from "../../domain/batches/create/estimate-batch.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { CLIENT_KIND, CREATION_ERRORS, isAgentCall, READ_BATCHES } from "./batch-route.ts";
import { readBatchBody } from "./read-batch-body.ts";

export const estimateBatch = defineEndpoint({
  method: "post",
  path: "/api/v1/batch-executions/estimate",
  operationId: "estimateBatchExecution",
  summary: "Estimate what a batch would cost",
  description:
    "Accepts the body of a creation, and rejects what that would reject, except for missing credits. Nothing is made and nothing is charged. If `is_exact`, a batch without failures is charged exactly the estimate.",
  tag: "Batch executions",
  access: READ_BATCHES,
  // The workflow and the inputs of samples/greeting-card.json.
  example: {
    workflow: "wf_0190f3a27c1e70008000000000000000",
    items: [{ inputs: { name: { value: '"Ada Lovelace"' } } }],
  },
  isReadOnly: true,
  rawBody: { contentType: "application/json", schema: CreateBatch },
  request: { headers: z.object({ "x-client-kind": CLIENT_KIND }) },
  responses: { 200: { description: "The estimate", body: BatchEstimate } },
  errors: CREATION_ERRORS,
  handle: async (ctx, { headers }, c) => {
    const body = await readBatchBody(ctx, c.req.raw);
    const isAgent = isAgentCall(ctx, headers["x-client-kind"]);
    return { status: 200, body: await estimate(ctx, { ...body, isAgent }) };
  },
});
