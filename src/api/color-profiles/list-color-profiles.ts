import * as z from "zod";
import { ColorProfileList } from "../../contracts/templates/color-profile.ts";
import { listColorProfiles as list } from "../../domain/color-profiles/list-color-profiles.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { cursorField, limitField } from "../query-fields.ts";

export const listColorProfiles = defineEndpoint({
  method: "get",
  path: "/api/v1/color-profiles",
  operationId: "listColorProfiles",
  summary: "List color profiles",
  description: "Newest first. The cursor is the GUID of the last item.",
  tag: "Color profiles",
  access: { scope: "assets:read", permission: "ws:assets:read" },
  request: {
    query: z.object({ limit: limitField(), starting_after: cursorField }),
    codes: { "query.starting_after": "invalid_request" },
  },
  responses: { 200: { description: "A page of profiles", body: ColorProfileList } },
  errors: ["invalid_request"],
  handle: async (ctx, { query }) => ({
    status: 200,
    body: await list(ctx, query.limit, query.starting_after),
  }),
});
