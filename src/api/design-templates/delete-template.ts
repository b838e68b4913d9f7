import { changeTemplate } from "../../domain/templates/change-template.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import {
  MANAGE_TEMPLATES,
  TEMPLATE_ERRORS,
  TEMPLATE_TAG,
  templateParams,
} from "./template-route.ts";

export const deleteTemplate = defineEndpoint({
  method: "delete",
  path: "/api/v1/design-templates/{id}",
  operationId: "deleteDesignTemplate",
  summary: "Delete a design template",
  description: "Only a template that was never published can be deleted; archive any other.",
  tag: TEMPLATE_TAG,
  access: MANAGE_TEMPLATES,
  request: { params: templateParams },
  responses: { 204: { description: "Deleted" } },
  errors: [...TEMPLATE_ERRORS, "invalid_state"],
  handle: async (ctx, { params }) => {
    await changeTemplate(ctx, params.id, { type: "delete" });
    return { status: 204 };
  },
});
