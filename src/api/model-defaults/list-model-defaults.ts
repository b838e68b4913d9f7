import * as z from "zod";
import { ModelDefaultList } from "../../contracts/models/model-default.ts";
import { listModelDefaults as list } from "../../domain/models/model-defaults.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";
import { cursorField, limitField } from "../query-fields.ts";

export const listModelDefaults = defineEndpoint({
  method: "get",
  path: "/admin/v1/workspaces/{workspace_id}/model-defaults",
  operationId: "listModelDefaults",
  summary: "List a workspace's own default models",
  description:
    "In the order of the capabilities; those without a default of the workspace's own are not listed.",
  tag: "Operator",
  access: "operator",
  request: {
    params: z.object({ workspace_id: idField("workspace") }),
    query: z.object({ limit: limitField(), starting_after: cursorField }),
  },
  responses: { 200: { description: "A page of defaults", body: ModelDefaultList } },
  errors: ["invalid_id", "invalid_request", "validation_error", "not_found"],
  handle: async (ctx, { params, query }) => ({
    status: 200,
    body: await list(ctx, params.workspace_id, {
      limit: query.limit,
      startingAfter: query.starting_after,
    }),
  }),
});
