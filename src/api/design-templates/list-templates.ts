import * as z from "zod";
import { DesignTemplateList, TemplateStatus } from "../../contracts/templates/design-template.ts";
import { listTemplates as list } from "../../domain/templates/list-templates.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { cursorField, limitField, nameAndTagFields } from "../query-fields.ts";
import { READ_TEMPLATES, TEMPLATE_TAG } from "./template-route.ts";

export const listTemplates = defineEndpoint({
  method: "get",
  path: "/api/v1/design-templates",
  operationId: "listDesignTemplates",
  summary: "List design templates",
  description:
    "Newest first. Filters can be combined; `name` matches any part of a name and ignores case.",
  tag: TEMPLATE_TAG,
  access: READ_TEMPLATES,
  request: {
    query: z.object({
      limit: limitField(),
      starting_after: cursorField,
      ...nameAndTagFields("templates"),
      status: z.enum([...TemplateStatus.options, "all"]).default("published"),
    }),
    codes: { "query.status": "invalid_status", "query.starting_after": "invalid_request" },
  },
  responses: { 200: { description: "A page of templates", body: DesignTemplateList } },
  errors: ["invalid_status", "invalid_request"],
  handle: async (ctx, { query }) => ({
    status: 200,
    body: await list(ctx, {
      limit: query.limit,
      startingAfter: query.starting_after,
      name: query.name,
      tag: query.tag,
      status: query.status,
    }),
  }),
});
