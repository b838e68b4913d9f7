import * as z from "zod";
import { ProviderList } from "../../contracts/models/provider.ts";
import { listProviders as list } from "../../domain/providers/read-providers.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";
import { cursorField, limitField } from "../query-fields.ts";

export const listWorkspaceProviders = defineEndpoint({
  method: "get",
  path: "/admin/v1/workspaces/{workspace_id}/providers",
  operationId: "listWorkspaceProviders",
  summary: "List a workspace's providers",
  description:
    "By id, without keys and the values of headers. A workspace's entry replaces the system's provider of the same id, for this workspace.",
  tag: "Operator",
  access: "operator",
  request: {
    params: z.object({ workspace_id: idField("workspace") }),
    query: z.object({ limit: limitField(), starting_after: cursorField }),
  },
  responses: { 200: { description: "A page of providers", body: ProviderList } },
  errors: ["invalid_id", "invalid_request", "validation_error", "not_found"],
  handle: async (ctx, { params, query }) => ({
    status: 200,
    body: await list(ctx, params.workspace_id, {
      limit: query.limit,
      startingAfter: query.starting_after,
    }),
  }),
});
