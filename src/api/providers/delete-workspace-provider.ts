import * as z from "zod";
import { deleteProvider as remove } from "../../domain/providers/read-providers.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";

export const deleteWorkspaceProvider = defineEndpoint({
  method: "delete",
  path: "/admin/v1/workspaces/{workspace_id}/providers/{id}",
  operationId: "deleteWorkspaceProvider",
  summary: "Delete one of a workspace's providers",
  description:
    "Its key is deleted with it. Its models are no longer listed; to hide a provider and keep its key, replace it with `enabled: false`.",
  tag: "Operator",
  access: "operator",
  request: { params: z.object({ workspace_id: idField("workspace"), id: z.string() }) },
  responses: { 204: { description: "The provider is deleted" } },
  errors: ["invalid_id", "not_found"],
  handle: async (ctx, { params }) => {
    await remove(ctx, params.workspace_id, params.id);
    return { status: 204 };
  },
});
