import { EditedPage } from "../../contracts/design-template.ts";
import { editDraft } from "../../domain/templates/edit-draft.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { SHEET_BODY, propertiesOf } from "./edit-route.ts";
import {
  CONTENT_ERRORS,
  DRAFT_ETAG,
  DRAFT_WRITE,
  draftReply,
  draftWrite,
  templateParams,
} from "./template-route.ts";

const { tag, access, createsOnce, inOrder, headers, errors } = DRAFT_WRITE;

export const createPage = defineEndpoint({
  method: "post",
  path: "/api/v1/design-templates/{id}/draft/pages",
  operationId: "createDesignPage",
  summary: "Add a page to the draft",
  description: "The new page is empty; `index` gives its position. An id may be given.",
  tag,
  access,
  createsOnce,
  request: { params: templateParams, headers, body: SHEET_BODY, inOrder },
  responses: { 201: { description: "The page", body: EditedPage, headers: DRAFT_ETAG } },
  errors: [...errors, ...CONTENT_ERRORS],
  handle: async (ctx, input) => {
    const { body, exactBody } = input;
    const answer = await editDraft(ctx, input.params.id, draftWrite(input), {
      name: "page",
      command: {
        kind: "create",
        target: "page",
        index: body.index,
        properties: propertiesOf(exactBody(), "page"),
      },
    });
    return draftReply(answer);
  },
});
