import * as z from "zod";
import { Provider, ProviderId, PutProvider } from "../../contracts/models/provider.ts";
import { putProvider as put } from "../../domain/providers/put-provider.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";

export const putWorkspaceProvider = defineEndpoint({
  method: "put",
  path: "/admin/v1/workspaces/{workspace_id}/providers/{id}",
  operationId: "putWorkspaceProvider",
  summary: "Create one of a workspace's providers, or replace its settings",
  description:
    "A member that is omitted takes its default, except `api_key`, which stays as it is. Keys and the values of headers are stored encrypted and never returned. A workspace's entry replaces the system's provider of the same id, for this workspace. The change holds within 30 seconds.",
  tag: "Operator",
  access: "operator",
  request: {
    params: z.object({ workspace_id: idField("workspace"), id: ProviderId }),
    body: PutProvider,
  },
  responses: { 200: { description: "The provider", body: Provider } },
  errors: ["invalid_id", "invalid_url", "not_found", "conflict", "feature_disabled"],
  handle: async (ctx, { params, body }) => ({
    status: 200,
    body: await put(ctx, params.workspace_id, params.id, body),
  }),
});
