import * as z from "zod";
import { ModelList } from "../../contracts/models/model.ts";
import { listModels as list } from "../../domain/models/list-models.ts";
import { workspaceModels } from "../../domain/models/workspace-models.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { CATALOG_PAGE_QUERY, filterField, pageOf } from "./catalog-query.ts";
import { CATALOG_HEADERS, catalogReply } from "./catalog-reply.ts";

export const listModels = defineEndpoint({
  method: "get",
  path: "/api/v1/models",
  operationId: "listModels",
  summary: "List the models that the workspace can use",
  description:
    "By slug. Lists only models of providers that are enabled for the workspace and that this release can call. Returns the whole list unless `limit` is sent.",
  tag: "Catalog",
  access: { scope: null, permission: null },
  request: {
    query: z.object({
      capability: filterField("Only models with this capability: `text_to_image`."),
      ...CATALOG_PAGE_QUERY,
    }),
    codes: { "query.starting_after": "invalid_request" },
  },
  responses: {
    200: { description: "Models", body: ModelList, headers: CATALOG_HEADERS },
    304: { description: "Not modified since `If-None-Match`" },
  },
  errors: ["invalid_request"],
  handle: async (ctx, { query }, c) =>
    catalogReply(
      c.req.raw,
      list(await workspaceModels(ctx), { capability: query.capability, ...pageOf(query) }),
    ),
});
