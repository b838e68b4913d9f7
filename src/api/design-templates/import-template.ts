import { DesignTemplate } from "../../contracts/templates/design-template.ts";
import { ImportTemplateBody } from "../../contracts/templates/share-link.ts";
import { createOnce } from "../../domain/idempotency/create-once.ts";
import { readTemplate } from "../../domain/templates/change-template.ts";
import { importTemplate as importShared } from "../../domain/templates/share/import-template.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { replayHeaders } from "../replay-headers.ts";
import { DRAFT_ETAG, MANAGE_TEMPLATES, TEMPLATE_TAG } from "./template-route.ts";

export const importTemplate = defineEndpoint({
  method: "post",
  path: "/api/v1/design-templates/import",
  operationId: "importDesignTemplate",
  summary: "Import a shared design template",
  description:
    "A new draft with the document that a share link shares. The stored pictures and workspace fonts that it uses are copied to your workspace.",
  tag: TEMPLATE_TAG,
  access: MANAGE_TEMPLATES,
  createsOnce: "required",
  request: { body: ImportTemplateBody, inOrder: true },
  responses: { 201: { description: "The template", body: DesignTemplate, headers: DRAFT_ETAG } },
  errors: ["invalid_request", "not_found", "share_link_closed", "quota_exceeded"],
  handle: async (ctx, { body, creation }) => {
    const { value, isReplay } = await createOnce(ctx, creation, {
      create: (claim) => importShared(ctx, body, claim?.statements(201)),
      replay: ({ resourceId }) => readTemplate(ctx, resourceId),
    });
    return {
      status: 201,
      body: value,
      headers: { etag: `"${value.draft_etag}"`, ...replayHeaders(isReplay) },
    };
  },
});
