import { PublishReadiness } from "../../contracts/templates/design-template.ts";
import { readReadiness } from "../../domain/templates/check-readiness.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import {
  DRAFT_ETAG,
  READ_TEMPLATES,
  TEMPLATE_ERRORS,
  TEMPLATE_TAG,
  templateParams,
} from "./template-route.ts";

export const getPublishReadiness = defineEndpoint({
  method: "get",
  path: "/api/v1/design-templates/{id}/draft/publish-readiness",
  operationId: "getDesignTemplatePublishReadiness",
  summary: "Check the draft before publishing",
  description:
    "Renders each sample set of the draft, and lists what prevents publishing (`blocking`) and what should be looked at (`warning`).",
  tag: TEMPLATE_TAG,
  access: READ_TEMPLATES,
  request: { params: templateParams },
  responses: {
    200: { description: "The problems", body: PublishReadiness, headers: DRAFT_ETAG },
  },
  errors: [...TEMPLATE_ERRORS, "design_render_busy", "service_unavailable"],
  handle: async (ctx, { params }) => {
    const body = await readReadiness(ctx, params.id);
    return { status: 200, body, headers: { etag: `"${body.draft_etag}"` } };
  },
});
