import * as z from "zod";
import { revokeShareLink as revoke } from "../../domain/templates/share/share-links.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";
import { MANAGE_TEMPLATES, TEMPLATE_ERRORS, TEMPLATE_TAG } from "./template-route.ts";

export const revokeShareLink = defineEndpoint({
  method: "delete",
  path: "/api/v1/design-templates/{id}/share-links/{link_id}",
  operationId: "revokeDesignTemplateShareLink",
  summary: "Revoke a share link",
  description: "Ends the link. What was imported stays. Revoking twice has no effect.",
  tag: TEMPLATE_TAG,
  access: MANAGE_TEMPLATES,
  request: { params: z.object({ id: idField("template"), link_id: idField("shareLink") }) },
  responses: { 204: { description: "Revoked" } },
  errors: [...TEMPLATE_ERRORS],
  handle: async (ctx, { params }) => {
    await revoke(ctx, params.id, params.link_id);
    return { status: 204 };
  },
});
