import * as z from "zod";
import { ShareLinkList } from "../../contracts/templates/share-link.ts";
import { listShareLinks as list } from "../../domain/templates/share/share-links.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { cursorField, limitField } from "../query-fields.ts";
import { READ_TEMPLATES, TEMPLATE_ERRORS, TEMPLATE_TAG, templateParams } from "./template-route.ts";

export const listShareLinks = defineEndpoint({
  method: "get",
  path: "/api/v1/design-templates/{id}/share-links",
  operationId: "listDesignTemplateShareLinks",
  summary: "List the share links of a design template",
  description: "Newest first, revoked and expired ones too. `token` and `url` are null.",
  tag: TEMPLATE_TAG,
  access: READ_TEMPLATES,
  request: {
    params: templateParams,
    query: z.object({ limit: limitField(), starting_after: cursorField }),
    codes: { "query.starting_after": "invalid_request" },
  },
  responses: { 200: { description: "A page of links", body: ShareLinkList } },
  errors: [...TEMPLATE_ERRORS, "invalid_request"],
  handle: async (ctx, { params, query }) => ({
    status: 200,
    body: await list(ctx, params.id, { limit: query.limit, startingAfter: query.starting_after }),
  }),
});
