import {
  DesignTemplate,
  DuplicateTemplateBody,
} from "../../contracts/templates/design-template.ts";
import { createOnce } from "../../domain/idempotency/create-once.ts";
import { readTemplate } from "../../domain/templates/change-template.ts";
import { duplicateTemplate as duplicate } from "../../domain/templates/duplicate-template.ts";
import { requireTemplate } from "../../domain/templates/require-template.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { replayHeaders } from "../replay-headers.ts";
import {
  DRAFT_ETAG,
  MANAGE_TEMPLATES,
  TEMPLATE_ERRORS,
  TEMPLATE_TAG,
  templateParams,
} from "./template-route.ts";

export const duplicateTemplate = defineEndpoint({
  method: "post",
  path: "/api/v1/design-templates/{id}/duplicate",
  operationId: "duplicateDesignTemplate",
  summary: "Duplicate a design template",
  description:
    "A new draft with the content of the draft, or of a revision. An archived template may be duplicated.",
  tag: TEMPLATE_TAG,
  access: MANAGE_TEMPLATES,
  createsOnce: "required",
  request: {
    params: templateParams,
    body: DuplicateTemplateBody,
    isBodyOptional: true,
    inOrder: true,
    codes: { "body.revision": "invalid_revision" },
  },
  responses: { 201: { description: "The copy", body: DesignTemplate, headers: DRAFT_ETAG } },
  errors: [...TEMPLATE_ERRORS, "invalid_request", "invalid_revision"],
  handle: async (ctx, { params, body, creation }) => {
    const source = await requireTemplate(ctx, params.id);
    const { value, isReplay } = await createOnce(ctx, creation, {
      create: (claim) => duplicate(ctx, source, body, claim?.statements(201)),
      replay: ({ resourceId }) => readTemplate(ctx, resourceId),
    });
    return {
      status: 201,
      body: value,
      headers: { etag: `"${value.draft_etag}"`, ...replayHeaders(isReplay) },
    };
  },
});
