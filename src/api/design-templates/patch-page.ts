import { EditedPage } from "../../contracts/design-template.ts";
import { editDraft } from "../../domain/templates/edit-draft.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { SHEET_BODY, pageParams, propertiesOf } from "./edit-route.ts";
import {
  CONTENT_ERRORS,
  DRAFT_ETAG,
  DRAFT_WRITE,
  draftReply,
  draftWrite,
} from "./template-route.ts";

const { tag, access, createsOnce, inOrder, headers, errors } = DRAFT_WRITE;

export const patchPage = defineEndpoint({
  method: "patch",
  path: "/api/v1/design-templates/{id}/draft/pages/{page_id}",
  operationId: "patchDesignPage",
  summary: "Change a page of the draft",
  description: "Named properties are replaced whole, null removes one; `index` moves the page.",
  tag,
  access,
  createsOnce,
  request: { params: pageParams, headers, body: SHEET_BODY, inOrder },
  responses: { 200: { description: "The page", body: EditedPage, headers: DRAFT_ETAG } },
  errors: [...errors, ...CONTENT_ERRORS, "page_not_found"],
  handle: async (ctx, input) => {
    const { body, exactBody } = input;
    const answer = await editDraft(ctx, input.params.id, draftWrite(input), {
      name: "page",
      command: {
        kind: "change",
        target: "page",
        id: input.params.page_id,
        index: body.index,
        properties: propertiesOf(exactBody(), "page"),
      },
    });
    return draftReply(answer);
  },
});
