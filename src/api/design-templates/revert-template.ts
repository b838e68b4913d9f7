import { DesignTemplate } from "../../contracts/templates/design-template.ts";
import { changeTemplate } from "../../domain/templates/change-template.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import {
  MANAGE_TEMPLATES,
  TEMPLATE_ERRORS,
  TEMPLATE_TAG,
  templateParams,
} from "./template-route.ts";

export const revertTemplate = defineEndpoint({
  method: "post",
  path: "/api/v1/design-templates/{id}/revert-to-draft",
  operationId: "revertDesignTemplate",
  summary: "Revert a published design template to a draft",
  description: "Its revisions stay, and workflows with one of them keep rendering it.",
  tag: TEMPLATE_TAG,
  access: MANAGE_TEMPLATES,
  request: { params: templateParams },
  responses: { 200: { description: "The template", body: DesignTemplate } },
  errors: [...TEMPLATE_ERRORS, "archived", "invalid_state"],
  handle: async (ctx, { params }) => ({
    status: 200,
    body: await changeTemplate(ctx, params.id, { type: "revert" }),
  }),
});
