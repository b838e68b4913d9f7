import * as z from "zod";
import { StoredDocument } from "../../contracts/templates/design-template.ts";
import { repeatedReplace, replaceDraft } from "../../domain/templates/change-draft.ts";
import { stringifyJson } from "../../lib/json/exact-json.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import {
  CONTENT_ERRORS,
  DRAFT_ETAG,
  DRAFT_WRITE,
  draftReply,
  draftWrite,
  templateParams,
} from "./template-route.ts";

const { tag, access, createsOnce, inOrder, headers, errors } = DRAFT_WRITE;

export const putDraftContent = defineEndpoint({
  method: "put",
  path: "/api/v1/design-templates/{id}/draft/content",
  operationId: "putDesignTemplateDraft",
  summary: "Replace the draft's document",
  description:
    "The body is the document itself. An invalid document changes nothing. A document that equals the draft keeps its ETag.",
  tag,
  access,
  createsOnce,
  request: {
    params: templateParams,
    headers,
    body: z.looseObject({}),
    bodyLimit: "document_body",
    inOrder,
  },
  responses: { 200: { description: "The document", body: StoredDocument, headers: DRAFT_ETAG } },
  errors: [...errors, ...CONTENT_ERRORS],
  answerKnown: async (ctx, { params, creation, body, digest }) => {
    const replay = await repeatedReplace(ctx, params.id, creation, digest);
    return replay && draftReply({ ...replay, isReplay: true }, body).response;
  },
  handle: async (ctx, input) => {
    const document = input.exactBody();
    const { bodyDigest } = input;
    const answer = await replaceDraft(ctx, input.params.id, draftWrite(input), {
      document,
      bodyDigest,
    });
    return draftReply(answer, stringifyJson(document));
  },
});
