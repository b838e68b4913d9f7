import * as z from "zod";
import { PresetList } from "../../contracts/models/preset.ts";
import { readPresets } from "../../domain/catalog/built-vocabulary.ts";
import { listPresets as list } from "../../domain/catalog/list-vocabulary.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { CATALOG_PAGE_QUERY, filterField, pageOf } from "./catalog-query.ts";
import { CATALOG_HEADERS, catalogReply } from "./catalog-reply.ts";

export const listPresets = defineEndpoint({
  method: "get",
  path: "/api/v1/presets",
  operationId: "listPresets",
  summary: "List presets",
  description:
    "Styles, scenes and tones, by category, `sort_order` and code. The words that a preset adds to a prompt are in `prompt_fragment`. Returns the whole list unless `limit` is sent.",
  tag: "Catalog",
  access: { scope: null, permission: null },
  request: {
    query: z.object({
      category: filterField("Only presets of this category: `image_style`."),
      ...CATALOG_PAGE_QUERY,
    }),
    codes: { "query.starting_after": "invalid_request" },
  },
  responses: {
    200: { description: "Presets", body: PresetList, headers: CATALOG_HEADERS },
    304: { description: "Not modified since `If-None-Match`" },
  },
  errors: ["invalid_request"],
  handle: async (ctx, { query }, c) =>
    catalogReply(
      c.req.raw,
      list(await readPresets(ctx.env), { category: query.category, ...pageOf(query) }),
    ),
});
