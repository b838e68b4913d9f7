import * as z from "zod";
import { WorkflowList, WorkflowStatus } from "../../contracts/workflows/workflow.ts";
import { listWorkflows as list } from "../../domain/workflows/list-workflows.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { cursorField, limitField, nameAndTagFields } from "../query-fields.ts";

export const listWorkflows = defineEndpoint({
  method: "get",
  path: "/api/v1/workflows",
  operationId: "listWorkflows",
  summary: "List workflows",
  description:
    "Newest first. Filters can be combined; `name` matches any part of a name and ignores case.",
  tag: "Workflows",
  access: { scope: "workflows:read", permission: "ws:workflows:read" },
  request: {
    query: z.object({
      limit: limitField(),
      starting_after: cursorField,
      ...nameAndTagFields("workflows"),
      status: z.enum([...WorkflowStatus.options, "all"]).default("published"),
    }),
    codes: { "query.status": "invalid_status", "query.starting_after": "invalid_request" },
  },
  responses: { 200: { description: "A page of workflows", body: WorkflowList } },
  errors: ["invalid_status", "invalid_request"],
  handle: async (ctx, { query }) => ({
    status: 200,
    body: await list(ctx, {
      limit: query.limit,
      startingAfter: query.starting_after,
      name: query.name,
      tag: query.tag,
      status: query.status,
    }),
  }),
});
