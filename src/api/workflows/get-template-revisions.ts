import * as z from "zod";
import { TemplateRevisions } from "../../contracts/templates/template-revisions.ts";
import { reviewRevisions } from "../../domain/templates/review-revisions.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";

export const getTemplateRevisions = defineEndpoint({
  method: "get",
  path: "/api/v1/workflows/{id}/template-revisions",
  operationId: "getWorkflowTemplateRevisions",
  summary: "Review the template revisions of a workflow",
  description:
    "For each template node of the working definition: the pinned revision, the latest one, and whether the node works with it unchanged.",
  tag: "Workflows",
  access: { scope: "workflows:read", permission: "ws:workflows:read" },
  request: { params: z.object({ id: idField("workflow") }) },
  responses: { 200: { description: "The template nodes", body: TemplateRevisions } },
  errors: ["invalid_id", "forbidden", "not_found", "design_render_busy", "service_unavailable"],
  handle: async (ctx, { params }) => ({ status: 200, body: await reviewRevisions(ctx, params.id) }),
});
