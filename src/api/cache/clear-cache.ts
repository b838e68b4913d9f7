import * as z from "zod";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";

export const clearCache = defineEndpoint({
  method: "delete",
  path: "/api/v1/cache",
  operationId: "clearCache",
  summary: "Clear the result cache",
  description:
    "Deletes the results that match all given filters; all of them without one. No look-up that begins after the response finds them.",
  tag: "Executions",
  access: { scope: "executions:write", permission: "ws:executions:create" },
  request: {
    query: z.object({
      node_type: z
        .string()
        .max(LIMITS.identifier.value)
        .optional()
        .describe("Only results of this node type."),
      workflow: idField("workflow").optional().describe("Only results of runs of this workflow."),
      execution: idField("run").optional().describe("Only results that this run has kept."),
    }),
  },
  responses: { 204: { description: "Cleared" } },
  errors: ["invalid_id", "validation_error"],
  handle: async (ctx, { query }) => {
    await ctx.env.RESULT_CACHE.clear({
      v: 1,
      workspace_id: ctx.principal.workspaceId,
      node_type: query.node_type ?? null,
      workflow: query.workflow ?? null,
      execution: query.execution ?? null,
    });
    return { status: 204 };
  },
});
