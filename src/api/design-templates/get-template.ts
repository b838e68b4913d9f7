import { DesignTemplate } from "../../contracts/templates/design-template.ts";
import { readTemplate } from "../../domain/templates/change-template.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { READ_TEMPLATES, TEMPLATE_ERRORS, TEMPLATE_TAG, templateParams } from "./template-route.ts";

export const getTemplate = defineEndpoint({
  method: "get",
  path: "/api/v1/design-templates/{id}",
  operationId: "getDesignTemplate",
  summary: "Read a design template",
  description: "The state of the template and of its draft, without the document.",
  tag: TEMPLATE_TAG,
  access: READ_TEMPLATES,
  request: { params: templateParams },
  responses: { 200: { description: "The template", body: DesignTemplate } },
  errors: TEMPLATE_ERRORS,
  handle: async (ctx, { params }) => ({ status: 200, body: await readTemplate(ctx, params.id) }),
});
