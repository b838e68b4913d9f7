import { EditedElement } from "../../contracts/design-template.ts";
import { editDraft } from "../../domain/templates/edit-draft.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { NEW_ELEMENT_BODY, propertiesOf } from "./edit-route.ts";
import {
  CONTENT_ERRORS,
  DRAFT_ETAG,
  DRAFT_WRITE,
  draftReply,
  draftWrite,
  templateParams,
} from "./template-route.ts";

const { tag, access, createsOnce, inOrder, headers, errors } = DRAFT_WRITE;

export const createElement = defineEndpoint({
  method: "post",
  path: "/api/v1/design-templates/{id}/draft/elements",
  operationId: "createDesignElement",
  summary: "Add an element to the draft",
  description:
    "`type` and the properties of the element; `page_id`, `parent_id` and `index` say where it goes. An id may be given.",
  tag,
  access,
  createsOnce,
  request: { params: templateParams, headers, body: NEW_ELEMENT_BODY, inOrder },
  responses: { 201: { description: "The element", body: EditedElement, headers: DRAFT_ETAG } },
  errors: [...errors, ...CONTENT_ERRORS, "page_not_found"],
  handle: async (ctx, input) => {
    const { body, exactBody } = input;
    const answer = await editDraft(ctx, input.params.id, draftWrite(input), {
      name: "element",
      command: {
        kind: "create_element",
        pageId: body.page_id,
        parentId: body.parent_id,
        index: body.index,
        properties: propertiesOf(exactBody(), "element"),
      },
    });
    return draftReply(answer);
  },
});
