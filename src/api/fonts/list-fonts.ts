import * as z from "zod";
import { FontCategory, FontFamilyList, FontScope } from "../../contracts/files/font.ts";
import { listFontFamilies } from "../../domain/fonts/list-font-families.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { cursorField, limitField } from "../query-fields.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

export const listFonts = defineEndpoint({
  method: "get",
  path: "/api/v1/fonts",
  operationId: "listFonts",
  summary: "List font families",
  description:
    "System families and the workspace's families that are not archived, sorted by display name, each with the files of its current revision.",
  tag: "Fonts",
  access: { scope: "assets:read", permission: "ws:assets:read" },
  request: {
    query: z.object({
      limit: limitField(),
      starting_after: cursorField,
      query: z
        .string()
        .max(LIMITS.filter_text.value)
        .optional()
        .describe("Families whose name contains this text. Case is ignored."),
      category: FontCategory.optional(),
      scope: FontScope.optional(),
    }),
  },
  responses: { 200: { description: "A page of font families", body: FontFamilyList } },
  errors: ["invalid_request"],
  handle: async (ctx, { query }) => ({
    status: 200,
    body: await listFontFamilies(ctx, {
      limit: query.limit,
      startingAfter: query.starting_after,
      query: query.query,
      category: query.category,
      scope: query.scope,
    }),
  }),
});
