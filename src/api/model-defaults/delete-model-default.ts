import * as z from "zod";
import { deleteModelDefault as remove } from "../../domain/models/model-defaults.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";

export const deleteModelDefault = defineEndpoint({
  method: "delete",
  path: "/admin/v1/workspaces/{workspace_id}/model-defaults/{capability}",
  operationId: "deleteModelDefault",
  summary: "Return to the system's default model of a capability",
  description: "Has no effect if the workspace has no default of its own.",
  tag: "Operator",
  access: "operator",
  request: { params: z.object({ workspace_id: idField("workspace"), capability: z.string() }) },
  responses: { 204: { description: "The workspace has no default of its own" } },
  errors: ["invalid_id", "not_found"],
  handle: async (ctx, { params }) => {
    await remove(ctx, params.workspace_id, params.capability);
    return { status: 204 };
  },
});
