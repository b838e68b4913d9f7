import * as z from "zod";
import { WorkflowVersionList } from "../../contracts/workflows/workflow.ts";
import { listVersions as list } from "../../domain/workflows/versions/list-versions.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";
import { cursorField, limitField } from "../query-fields.ts";

export const listVersions = defineEndpoint({
  method: "get",
  path: "/api/v1/workflows/{id}/versions",
  operationId: "listWorkflowVersions",
  summary: "List the versions of a workflow",
  description: "Newest first; `is_current` marks the latest published one.",
  tag: "Workflows",
  access: { scope: "workflows:read", permission: "ws:workflows:read" },
  request: {
    params: z.object({ id: idField("workflow") }),
    query: z.object({ limit: limitField(), starting_after: cursorField }),
    codes: { "query.starting_after": "invalid_request" },
  },
  responses: { 200: { description: "A page of versions", body: WorkflowVersionList } },
  errors: ["invalid_id", "invalid_request", "forbidden", "not_found"],
  handle: async (ctx, { params, query }) => ({
    status: 200,
    body: await list(ctx, params.id, { limit: query.limit, startingAfter: query.starting_after }),
  }),
});
