import { CreateTemplateBody, DesignTemplate } from "../../contracts/templates/design-template.ts";
import { createTemplate as create } from "../../domain/templates/create-template.ts";
import { createOnce } from "../../domain/idempotency/create-once.ts";
import { readTemplate } from "../../domain/templates/change-template.ts";
import { isJsonObject } from "../../lib/json/exact-json.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { replayHeaders } from "../replay-headers.ts";
import { DRAFT_ETAG, MANAGE_TEMPLATES, TEMPLATE_TAG } from "./template-route.ts";

export const createTemplate = defineEndpoint({
  method: "post",
  path: "/api/v1/design-templates",
  operationId: "createDesignTemplate",
  summary: "Create a design template",
  description:
    "Creates a draft with the given document, or with one empty A4 page. Nothing is created if the document is not valid.",
  tag: TEMPLATE_TAG,
  access: MANAGE_TEMPLATES,
  example: {
    name: "Price tag",
    tags: ["shop"],
    content: {
      schemaVersion: "2.0",
      pages: [
        {
          id: "0b1f4c52-6d1c-4d55-9a36-1f0f5f3f6a01",
          name: "Tag",
          width: 200,
          height: 100,
          elements: [
            {
              $type: "text",
              id: "0b1f4c52-6d1c-4d55-9a36-1f0f5f3f6a02",
              left: 10,
              top: 10,
              width: 180,
              height: 30,
              text: "Price",
              placeholder: {
                id: "0b1f4c52-6d1c-4d55-9a36-1f0f5f3f6a03",
                name: "Price",
                code: "price",
                placeholderType: "text",
                required: true,
              },
            },
          ],
        },
      ],
    },
  },
  createsOnce: "required",
  request: { body: CreateTemplateBody, bodyLimit: "document_body", inOrder: true },
  responses: { 201: { description: "The template", body: DesignTemplate, headers: DRAFT_ETAG } },
  errors: ["invalid_request", "content_invalid"],
  handle: async (ctx, { body, exactBody, creation }) => {
    const exact = exactBody();
    const given = {
      name: body.name,
      description: body.description,
      tags: body.tags,
      source: null,
      content: isJsonObject(exact) ? exact["content"] : undefined,
    };
    const { value, isReplay } = await createOnce(ctx, creation, {
      create: (claim) => create(ctx, given, claim?.statements(201)),
      replay: ({ resourceId }) => readTemplate(ctx, resourceId),
    });
    return {
      status: 201,
      body: value,
      headers: { etag: `"${value.draft_etag}"`, ...replayHeaders(isReplay) },
    };
  },
});
