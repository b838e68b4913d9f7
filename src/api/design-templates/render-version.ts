import { renderDirectly } from "../../domain/templates/render-directly.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { directRender, RENDER_BODY_CODES, RenderBody } from "./render-body.ts";
import { DIRECT_RENDER, RENDER_ERRORS, renderResponse } from "./render-declaration.ts";
import { renderReply } from "./render-reply.ts";
import { revisionField, templateParams } from "./template-route.ts";

export const renderVersion = defineEndpoint({
  method: "post",
  path: "/api/v1/design-templates/{id}/versions/{revision}/render",
  operationId: "renderDesignTemplateVersion",
  summary: "Render a revision",
  ...DIRECT_RENDER,
  request: {
    params: templateParams.extend({ revision: revisionField }),
    body: RenderBody,
    codes: RENDER_BODY_CODES,
    inOrder: true,
  },
  responses: renderResponse(),
  errors: [...RENDER_ERRORS, "invalid_revision"],
  handle: async (ctx, { params, body, exactBody }) => {
    const job = directRender(body, exactBody());
    const rendered = await renderDirectly(ctx, params.id, params.revision, job);
    return renderReply(rendered, body.output, body.include_report);
  },
});
