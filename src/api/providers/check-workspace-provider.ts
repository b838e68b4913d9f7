import * as z from "zod";
import { ProviderCheck } from "../../contracts/models/provider.ts";
import { checkProvider as check } from "../../domain/providers/check-provider.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";

export const checkWorkspaceProvider = defineEndpoint({
  method: "post",
  path: "/admin/v1/workspaces/{workspace_id}/providers/{id}/check",
  operationId: "checkWorkspaceProvider",
  summary: "Check one of a workspace's providers",
  description:
    "Makes one call that costs nothing with the stored address, key and headers, also for a disabled provider. A failure is part of the response.",
  tag: "Operator",
  access: "operator",
  request: { params: z.object({ workspace_id: idField("workspace"), id: z.string() }) },
  responses: { 200: { description: "What the provider answered", body: ProviderCheck } },
  errors: ["invalid_id", "not_found", "feature_disabled"],
  handle: async (ctx, { params }) => ({
    status: 200,
    body: await check(ctx, params.workspace_id, params.id),
  }),
});
