import * as z from "zod";
import { ITERATION_FILTERS, TraceIterationPage } from "../../contracts/runs/trace.ts";
import { readIterations } from "../../domain/executions/read/read-trace.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";
import { integerField, wordsField } from "../query-fields.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

/** docs/contract/trace.md#report. */
const [PAGE_SIZE, PAGE_SIZE_MAX] = [50, 500] as const;

export const listTraceIterations = defineEndpoint({
  method: "get",
  path: "/api/v1/executions/{run_id}/trace/nodes/{node_id}/iterations",
  operationId: "listTraceIterations",
  summary: "List the iterations of a node",
  description: "In the order of their indices. An iteration has no other identifier.",
  tag: "Executions",
  access: { scope: "executions:read", permission: "ws:executions:read" },
  request: {
    params: z.object({ run_id: idField("run"), node_id: z.string() }),
    query: z.object({
      after: z
        .string()
        .max(LIMITS.cursor.value)
        .optional()
        .describe("`next_cursor` of the previous page."),
      page_size: integerField({ min: 1, max: PAGE_SIZE_MAX }).default(PAGE_SIZE),
      state: wordsField(
        ITERATION_FILTERS,
        "Only iterations in this state. Repeat the parameter for several states. `total_count` counts the matching iterations. `pending` includes iterations that did not start before the run ended.",
      ).optional(),
    }),
  },
  responses: { 200: { description: "A page of iterations", body: TraceIterationPage } },
  errors: ["invalid_id", "invalid_request", "validation_error", "not_found", "forbidden"],
  handle: async (ctx, { params, query }) => ({
    status: 200,
    body: await readIterations(ctx, params.run_id, {
      nodeId: params.node_id,
      pageSize: query.page_size,
      after: query.after ?? null,
      states: query.state ?? null,
    }),
  }),
});
