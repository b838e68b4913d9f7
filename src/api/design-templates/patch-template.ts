import { DesignTemplate, PatchTemplateBody } from "../../contracts/templates/design-template.ts";
import { changeTemplate } from "../../domain/templates/change-template.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import {
  MANAGE_TEMPLATES,
  TEMPLATE_ERRORS,
  TEMPLATE_TAG,
  templateParams,
} from "./template-route.ts";

export const patchTemplate = defineEndpoint({
  method: "patch",
  path: "/api/v1/design-templates/{id}",
  operationId: "patchDesignTemplate",
  summary: "Change name, description or tags of a design template",
  description: "Omitted fields are not changed. The draft and its ETag stay as they are.",
  tag: TEMPLATE_TAG,
  access: MANAGE_TEMPLATES,
  request: { params: templateParams, body: PatchTemplateBody, inOrder: true },
  responses: { 200: { description: "The template", body: DesignTemplate } },
  errors: [...TEMPLATE_ERRORS, "invalid_request", "archived"],
  handle: async (ctx, { params, body }) => ({
    status: 200,
    body: await changeTemplate(ctx, params.id, { type: "patch", ...body }),
  }),
});
