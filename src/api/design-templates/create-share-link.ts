import { CreateShareLinkBody, ShareLink } from "../../contracts/templates/share-link.ts";
import { createOnce } from "../../domain/idempotency/create-once.ts";
import {
  createShareLink as create,
  readShareLink,
} from "../../domain/templates/share/share-links.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { replayHeaders } from "../replay-headers.ts";
import {
  MANAGE_TEMPLATES,
  TEMPLATE_ERRORS,
  TEMPLATE_TAG,
  templateParams,
} from "./template-route.ts";

export const createShareLink = defineEndpoint({
  method: "post",
  path: "/api/v1/design-templates/{id}/share-links",
  operationId: "createDesignTemplateShareLink",
  summary: "Share a revision of a design template",
  description:
    "Makes a link from which others see the template's fields and import a copy of it. `token` and `url` are returned only in this response, and are null when the request is repeated with its `Idempotency-Key`; only the token's hash is stored.",
  tag: TEMPLATE_TAG,
  access: MANAGE_TEMPLATES,
  createsOnce: true,
  request: {
    params: templateParams,
    body: CreateShareLinkBody,
    isBodyOptional: true,
    inOrder: true,
    codes: { "body.revision": "invalid_revision" },
  },
  responses: { 201: { description: "The link", body: ShareLink } },
  errors: [...TEMPLATE_ERRORS, "invalid_request", "invalid_revision", "archived", "invalid_state"],
  handle: async (ctx, { params, body, creation }) => {
    const { value, isReplay } = await createOnce(ctx, creation, {
      create: (claim) => create(ctx, params.id, body, claim?.statements(201)),
      replay: ({ resourceId }) => readShareLink(ctx, params.id, resourceId),
    });
    return { status: 201, body: value, headers: replayHeaders(isReplay) };
  },
});
