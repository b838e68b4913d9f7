import * as z from "zod";
import { ModelVoiceList } from "../../contracts/models/model.ts";
import { listModelVoices as list } from "../../domain/models/list-model-voices.ts";
import { workspaceModels } from "../../domain/models/workspace-models.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { CATALOG_PAGE_QUERY, pageOf } from "./catalog-query.ts";
import { CATALOG_HEADERS, catalogReply } from "./catalog-reply.ts";

export const listModelVoices = defineEndpoint({
  method: "get",
  path: "/api/v1/models/{model}/voices",
  operationId: "listModelVoices",
  summary: "List the voices of a model",
  description:
    "The values of a node's `voice`. The first one speaks if a node names none. Returns the whole list, at most 500 voices, unless `limit` is sent.",
  tag: "Catalog",
  access: { scope: null, permission: null },
  request: {
    params: z.object({ model: z.string().describe("Slug of the model.") }),
    query: z.object(CATALOG_PAGE_QUERY),
    codes: { "query.starting_after": "invalid_request" },
  },
  responses: {
    200: { description: "Voices", body: ModelVoiceList, headers: CATALOG_HEADERS },
    304: { description: "Not modified since `If-None-Match`" },
  },
  errors: ["not_found", "invalid_request", "fetch_failed"],
  handle: async (ctx, { params, query }, c) =>
    catalogReply(
      c.req.raw,
      await list(ctx, await workspaceModels(ctx), params.model, pageOf(query)),
    ),
});
