import * as z from "zod";
import { CapabilityList } from "../../contracts/models/model.ts";
import { listCapabilities as list } from "../../domain/catalog/list-vocabulary.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { CATALOG_PAGE_QUERY, pageOf } from "./catalog-query.ts";
import { CATALOG_HEADERS, catalogReply } from "./catalog-reply.ts";

export const listCapabilities = defineEndpoint({
  method: "get",
  path: "/api/v1/capabilities",
  operationId: "listCapabilities",
  summary: "List the capabilities of models",
  description:
    "The vocabulary of `capabilities` of models and node types, whether or not a model serves them. Returns the whole list unless `limit` is sent.",
  tag: "Catalog",
  access: { scope: null, permission: null },
  request: {
    query: z.object(CATALOG_PAGE_QUERY),
    codes: { "query.starting_after": "invalid_request" },
  },
  responses: {
    200: { description: "Capabilities", body: CapabilityList, headers: CATALOG_HEADERS },
    304: { description: "Not modified since `If-None-Match`" },
  },
  errors: ["invalid_request"],
  handle: (_ctx, { query }, c) => catalogReply(c.req.raw, list(pageOf(query))),
});
