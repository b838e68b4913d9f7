import * as z from "zod";
import { NodeTypeList } from "../../contracts/node-type-entry.ts";
import { listNodeTypes as list } from "../../domain/catalog/list-node-types.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { cursorField, integerField } from "../query-fields.ts";
import { CATALOG_HEADERS, catalogReply } from "./catalog-reply.ts";
import { LIMITS } from "../../lib/limits-table.ts";

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
      category: z
        .string()
        .max(LIMITS.filter_text.value)
        .optional()
        .describe("Case is ignored: `text`, `utility`."),
      search: z
        .string()
        .max(LIMITS.catalog_search.value)
        .optional()
        .describe("All words must match. The best match is first."),
      limit: integerField({ min: 1, max: 100 }).optional(),
      starting_after: cursorField,
    }),
    codes: { "query.starting_after": "invalid_request" },
  },
  responses: {
    200: { description: "Node types", body: NodeTypeList, headers: CATALOG_HEADERS },
    304: { description: "Not modified since `If-None-Match`" },
  },
  errors: ["invalid_request"],
  handle: (_ctx, { query }, c) =>
    catalogReply(
      c.req.raw,
      list({
        category: query.category,
        search: query.search,
        limit: query.limit,
        startingAfter: query.starting_after,
      }),
    ),
});
