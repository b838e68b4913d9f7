import { TemplateVersion } from "../../contracts/templates/design-template.ts";
import { requireVersion } from "../../domain/templates/require-template.ts";
import { versionView } from "../../domain/templates/template-view.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import {
  READ_TEMPLATES,
  revisionField,
  TEMPLATE_ERRORS,
  TEMPLATE_TAG,
  templateParams,
} from "./template-route.ts";

export const getTemplateVersion = defineEndpoint({
  method: "get",
  path: "/api/v1/design-templates/{id}/versions/{revision}",
  operationId: "getDesignTemplateVersion",
  summary: "Read a revision of a design template",
  description: "The revision's hashes and date, without its document.",
  tag: TEMPLATE_TAG,
  access: READ_TEMPLATES,
  request: { params: templateParams.extend({ revision: revisionField }) },
  responses: { 200: { description: "The revision", body: TemplateVersion } },
  errors: [...TEMPLATE_ERRORS, "invalid_revision"],
  handle: async (ctx, { params }) => {
    const { template, version } = await requireVersion(ctx, params.id, params.revision);
    return { status: 200, body: versionView(params.id, template.latest_revision, version) };
  },
});
