import * as z from "zod";
import { NodeTypeList } from "../../contracts/workflows/node-type-entry.ts";
import { readNodeTypes } from "../../domain/catalog/built-node-types.ts";
import { listNodeTypes as list } from "../../domain/catalog/list-node-types.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { CATALOG_PAGE_QUERY, filterField, pageOf } from "./catalog-query.ts";
import { CATALOG_HEADERS, catalogReply } from "./catalog-reply.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

export const listNodeTypes = defineEndpoint({
  method: "get",
  path: "/api/v1/node-types",
  operationId: "listNodeTypes",
  summary: "List node types",
  description: "Returns the whole catalog unless `limit` is sent.",
  tag: "Catalog",
  access: { scope: null, permission: null },
  request: {
    query: z.object({
      category: filterField("Case is ignored: `text`, `utility`."),
      search: z
        .string()
        .max(LIMITS.catalog_search.value)
        .optional()
        .describe("All words must match. The best match is first."),
      ...CATALOG_PAGE_QUERY,
    }),
    codes: { "query.starting_after": "invalid_request" },
  },
  responses: {
    200: { description: "Node types", body: NodeTypeList, headers: CATALOG_HEADERS },
    304: { description: "Not modified since `If-None-Match`" },
  },
  errors: ["invalid_request"],
  handle: async (ctx, { query }, c) =>
    catalogReply(
      c.req.raw,
      list(await readNodeTypes(ctx.env), {
        category: query.category,
        search: query.search,
        ...pageOf(query),
      }),
    ),
});
