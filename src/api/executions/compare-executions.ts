import * as z from "zod";
import { ItemChange, RunComparison } from "../../contracts/runs/comparison.ts";
import { compareExecutions as compare } from "../../domain/executions/compare/compare-executions.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";
import { cursorField, limitField } from "../query-fields.ts";
import { ETAG, IF_NONE_MATCH, NOT_MODIFIED, taggedReply } from "../tagged-reply.ts";

export const compareExecutions = defineEndpoint({
  method: "get",
  path: "/api/v1/executions/{a}/diff/{b}",
  operationId: "compareExecutions",
  summary: "Compare two executions",
  description:
    "Inputs, definitions, nodes and outputs of two runs of the workspace that have ended. Deltas are `b` minus `a`. " +
    "`items` is a list of the output items that differ; the query selects its page.",
  tag: "Executions",
  access: { scope: "executions:read", permission: "ws:executions:read" },
  request: {
    params: z.object({ a: idField("run"), b: idField("run") }),
    query: z.object({
      limit: limitField(),
      starting_after: cursorField,
      key: z
        .string()
        .max(LIMITS.identifier.value)
        .optional()
        .describe("Only items of this output."),
      change: ItemChange.optional().describe("Only items with this change."),
    }),
    headers: z.object(IF_NONE_MATCH),
  },
  responses: {
    200: { description: "The comparison", body: RunComparison, headers: ETAG },
    304: NOT_MODIFIED,
  },
  errors: [
    "invalid_id",
    "invalid_request",
    "validation_error",
    "not_found",
    "forbidden",
    "not_completed",
    "outputs_expired",
  ],
  handle: async (ctx, { params, query, headers }) => {
    const body = await compare(ctx, params.a, params.b, {
      limit: query.limit,
      startingAfter: query.starting_after ?? null,
      key: query.key ?? null,
      change: query.change ?? null,
    });
    return await taggedReply(body, headers["if-none-match"]);
  },
});
