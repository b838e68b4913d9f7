import { renderDirectly } from "../../domain/templates/render-directly.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { directRender, RENDER_BODY_CODES, RenderBody } from "./render-body.ts";
import { DIRECT_RENDER, RENDER_ERRORS, renderResponse } from "./render-declaration.ts";
import { renderReply } from "./render-reply.ts";
import { DRAFT_ETAG, templateParams } from "./template-route.ts";

export const renderDraft = defineEndpoint({
  method: "post",
  path: "/api/v1/design-templates/{id}/draft/render",
  operationId: "renderDesignTemplateDraft",
  summary: "Render the draft",
  ...DIRECT_RENDER,
  request: { params: templateParams, body: RenderBody, codes: RENDER_BODY_CODES, inOrder: true },
  responses: renderResponse(DRAFT_ETAG),
  errors: RENDER_ERRORS,
  handle: async (ctx, { params, body, exactBody }) => {
    const rendered = await renderDirectly(ctx, params.id, null, directRender(body, exactBody()));
    return renderReply(rendered, body.output, body.include_report);
  },
});
