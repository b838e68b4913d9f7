import * as z from "zod";
import { TemplateVersionList } from "../../contracts/templates/design-template.ts";
import { listTemplateVersions as list } from "../../domain/templates/list-templates.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { cursorField, limitField } from "../query-fields.ts";
import { READ_TEMPLATES, TEMPLATE_ERRORS, TEMPLATE_TAG, templateParams } from "./template-route.ts";

export const listTemplateVersions = defineEndpoint({
  method: "get",
  path: "/api/v1/design-templates/{id}/versions",
  operationId: "listDesignTemplateVersions",
  summary: "List the revisions of a design template",
  description: "Newest first; `is_current` marks the latest revision.",
  tag: TEMPLATE_TAG,
  access: READ_TEMPLATES,
  request: {
    params: templateParams,
    query: z.object({ limit: limitField(), starting_after: cursorField }),
    codes: { "query.starting_after": "invalid_request" },
  },
  responses: { 200: { description: "A page of revisions", body: TemplateVersionList } },
  errors: [...TEMPLATE_ERRORS, "invalid_request"],
  handle: async (ctx, { params, query }) => ({
    status: 200,
    body: await list(ctx, params.id, { limit: query.limit, startingAfter: query.starting_after }),
  }),
});
