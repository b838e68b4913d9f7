import { DesignTemplate } from "../../contracts/templates/design-template.ts";
import { changeTemplate } from "../../domain/templates/change-template.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import {
  MANAGE_TEMPLATES,
  TEMPLATE_ERRORS,
  TEMPLATE_TAG,
  templateParams,
} from "./template-route.ts";

export const archiveTemplate = defineEndpoint({
  method: "post",
  path: "/api/v1/design-templates/{id}/archive",
  operationId: "archiveDesignTemplate",
  summary: "Archive a design template",
  description:
    "It can no longer be chosen or changed. Workflows with one of its revisions keep rendering it. Archiving twice has no effect.",
  tag: TEMPLATE_TAG,
  access: MANAGE_TEMPLATES,
  request: { params: templateParams },
  responses: { 200: { description: "The template", body: DesignTemplate } },
  errors: [...TEMPLATE_ERRORS],
  handle: async (ctx, { params }) => ({
    status: 200,
    body: await changeTemplate(ctx, params.id, { type: "archive" }),
  }),
});
