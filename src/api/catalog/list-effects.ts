import * as z from "zod";
import { EffectList } from "../../contracts/models/preset.ts";
import { readEffects } from "../../domain/catalog/built-vocabulary.ts";
import { listEffects as list } from "../../domain/catalog/list-vocabulary.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { CATALOG_PAGE_QUERY, filterField, pageOf } from "./catalog-query.ts";
import { CATALOG_HEADERS, catalogReply } from "./catalog-reply.ts";

export const listEffects = defineEndpoint({
  method: "get",
  path: "/api/v1/effects",
  operationId: "listEffects",
  summary: "List effects",
  description:
    "Light, color, lens and texture, by category, `sort_order` and code. The words that an effect adds to a prompt are in `prompt_fragment`. Returns the whole list unless `limit` is sent.",
  tag: "Catalog",
  access: { scope: null, permission: null },
  request: {
    query: z.object({
      category: filterField("Only effects of this category: `light`."),
      ...CATALOG_PAGE_QUERY,
    }),
    codes: { "query.starting_after": "invalid_request" },
  },
  responses: {
    200: { description: "Effects", body: EffectList, headers: CATALOG_HEADERS },
    304: { description: "Not modified since `If-None-Match`" },
  },
  errors: ["invalid_request"],
  handle: async (ctx, { query }, c) =>
    catalogReply(
      c.req.raw,
      list(await readEffects(ctx.env), { category: query.category, ...pageOf(query) }),
    ),
});
