import * as z from "zod";
import { AssetList } from "../../contracts/files/asset.ts";
import { listAssets as list } from "../../domain/assets/list-assets.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { cursorField, limitField } from "../query-fields.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

export const listAssets = defineEndpoint({
  method: "get",
  path: "/api/v1/assets",
  operationId: "listAssets",
  summary: "List files",
  description: "Newest first. The cursor is the path of the last item.",
  tag: "Assets",
  access: { scope: "assets:read", permission: "ws:assets:read" },
  request: {
    query: z.object({
      limit: limitField(),
      starting_after: cursorField,
      prefix: z
        .string()
        .max(LIMITS.asset_path.value)
        .optional()
        .describe("Only assets whose path starts with this text."),
      name: z
        .string()
        .max(LIMITS.asset_name.value)
        .optional()
        .describe("Only assets whose name contains this text. Case is ignored."),
    }),
    codes: { "query.starting_after": "invalid_request" },
  },
  responses: { 200: { description: "A page of files", body: AssetList } },
  errors: ["invalid_request"],
  handle: async (ctx, { query }) => ({
    status: 200,
    body: await list(ctx, {
      limit: query.limit,
      startingAfter: query.starting_after,
      prefix: query.prefix,
      name: query.name,
    }),
  }),
});
