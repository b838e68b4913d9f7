import * as z from "zod";
import {
  UpgradedTemplates,
  UpgradeTemplatesBody,
} from "../../contracts/templates/template-revisions.ts";
import { upgradeRevisions } from "../../domain/templates/review-revisions.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";

export const upgradeTemplateRevisions = defineEndpoint({
  method: "post",
  path: "/api/v1/workflows/{id}/template-revisions/upgrade",
  operationId: "upgradeWorkflowTemplateRevisions",
  summary: "Move template nodes to the latest revision",
  description:
    "Moves the pins of nodes that are behind and compatible, in the working definition, and changes nothing else.",
  tag: "Workflows",
  access: { scope: "workflows:write", permission: "ws:workflows:manage" },
  request: {
    params: z.object({ id: idField("workflow") }),
    headers: z.object({
      "if-match": z.string().optional().describe("Upgrades only the revision with this ETag."),
    }),
    body: UpgradeTemplatesBody,
    isBodyOptional: true,
  },
  responses: { 200: { description: "What was moved, and what was not", body: UpgradedTemplates } },
  errors: [
    "invalid_id",
    "invalid_request",
    "forbidden",
    "not_found",
    "precondition_failed",
    "invalid_state",
  ],
  handle: async (ctx, { params, headers, body }) => ({
    status: 200,
    body: await upgradeRevisions(ctx, params.id, body.node_ids, headers["if-match"]),
  }),
});
