import * as z from "zod";
import { ModelDefault, PutModelDefault } from "../../contracts/models/model-default.ts";
import { putModelDefault as put } from "../../domain/models/model-defaults.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";

export const putModelDefault = defineEndpoint({
  method: "put",
  path: "/admin/v1/workspaces/{workspace_id}/model-defaults/{capability}",
  operationId: "putModelDefault",
  summary: "Choose a workspace's default model of a capability",
  description:
    "Holds for runs that are submitted afterwards, within 30 seconds, as long as the workspace can use the model. A run keeps the models of its submit.",
  tag: "Operator",
  access: "operator",
  request: {
    params: z.object({ workspace_id: idField("workspace"), capability: z.string() }),
    body: PutModelDefault,
  },
  responses: { 200: { description: "The default", body: ModelDefault } },
  errors: ["invalid_id", "not_found"],
  handle: async (ctx, { params, body }) => ({
    status: 200,
    body: await put(ctx, params.workspace_id, params.capability, body.model),
  }),
});
