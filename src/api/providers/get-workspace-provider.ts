import * as z from "zod";
import { Provider } from "../../contracts/models/provider.ts";
import { getProvider as get } from "../../domain/providers/read-providers.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";

export const getWorkspaceProvider = defineEndpoint({
  method: "get",
  path: "/admin/v1/workspaces/{workspace_id}/providers/{id}",
  operationId: "getWorkspaceProvider",
  summary: "Read one of a workspace's providers",
  description:
    "Its settings, the names of its headers, and whether it has a key. The key and the values of headers are never returned.",
  tag: "Operator",
  access: "operator",
  request: { params: z.object({ workspace_id: idField("workspace"), id: z.string() }) },
  responses: { 200: { description: "The provider", body: Provider } },
  errors: ["invalid_id", "not_found"],
  handle: async (ctx, { params }) => ({
    status: 200,
    body: await get(ctx, params.workspace_id, params.id),
  }),
});
