import * as z from "zod";
import { StoredDocument } from "../../contracts/templates/design-template.ts";
import { readVersionContent } from "../../domain/templates/read-content.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { immutableJson } from "./immutable-json.ts";
import {
  READ_TEMPLATES,
  revisionField,
  TEMPLATE_ERRORS,
  TEMPLATE_TAG,
  templateParams,
} from "./template-route.ts";

export const getTemplateVersionContent = defineEndpoint({
  method: "get",
  path: "/api/v1/design-templates/{id}/versions/{revision}/content",
  operationId: "getDesignTemplateVersionContent",
  summary: "Read the document of a revision",
  description: "As it was sent. It never changes.",
  tag: TEMPLATE_TAG,
  access: READ_TEMPLATES,
  request: {
    params: templateParams.extend({ revision: revisionField }),
    headers: z.object({ "if-none-match": z.string().optional() }),
  },
  responses: {
    200: {
      description: "The document",
      body: StoredDocument,
      headers: { ETag: "Digest of the content." },
    },
    304: { description: "The client has it" },
  },
  errors: [...TEMPLATE_ERRORS, "invalid_revision"],
  handle: async (ctx, { params, headers }) =>
    immutableJson(
      await readVersionContent(ctx, params.id, params.revision),
      headers["if-none-match"],
    ),
});
