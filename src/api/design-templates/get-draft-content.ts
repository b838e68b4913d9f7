import * as z from "zod";
import { StoredDocument } from "../../contracts/templates/design-template.ts";
import { readDraft } from "../../domain/templates/read-content.ts";
import { draftEtag } from "../../lib/http/draft-etag.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import {
  DRAFT_ETAG,
  JSON_TYPE,
  READ_TEMPLATES,
  TEMPLATE_ERRORS,
  TEMPLATE_TAG,
  templateParams,
} from "./template-route.ts";

export const getDraftContent = defineEndpoint({
  method: "get",
  path: "/api/v1/design-templates/{id}/draft/content",
  operationId: "getDesignTemplateDraft",
  summary: "Read the draft's document",
  description: "As it was sent. Send the ETag as `If-Match` of a change.",
  tag: TEMPLATE_TAG,
  access: READ_TEMPLATES,
  request: {
    params: templateParams,
    headers: z.object({ "if-none-match": z.string().optional() }),
  },
  responses: {
    200: { description: "The document", body: StoredDocument, headers: DRAFT_ETAG },
    304: { description: "Not changed since the draft in `If-None-Match`" },
  },
  errors: TEMPLATE_ERRORS,
  handle: async (ctx, { params, headers }) => {
    const { record, content } = await readDraft(ctx, params.id, headers["if-none-match"] ?? null);
    const etag = `"${draftEtag(record)}"`;
    return content === null
      ? { status: 304, headers: { etag } }
      : { response: new Response(content, { headers: { "content-type": JSON_TYPE, etag } }) };
  },
});
