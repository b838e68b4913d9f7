import { EditedElement } from "../../contracts/design-template.ts";
import { editDraft } from "../../domain/templates/edit-draft.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { ELEMENT_BODY, elementParams, propertiesOf } from "./edit-route.ts";
import {
  CONTENT_ERRORS,
  DRAFT_ETAG,
  DRAFT_WRITE,
  draftReply,
  draftWrite,
} from "./template-route.ts";

const { tag, access, createsOnce, inOrder, headers, errors } = DRAFT_WRITE;

export const patchElement = defineEndpoint({
  method: "patch",
  path: "/api/v1/design-templates/{id}/draft/elements/{element_id}",
  operationId: "patchDesignElement",
  summary: "Change an element of the draft",
  description:
    "Named properties are replaced whole, null removes one; `page_id`, `parent_id` and `index` move the element without changing its numbers.",
  tag,
  access,
  createsOnce,
  request: { params: elementParams, headers, body: ELEMENT_BODY, inOrder },
  responses: { 200: { description: "The element", body: EditedElement, headers: DRAFT_ETAG } },
  errors: [...errors, ...CONTENT_ERRORS, "page_not_found"],
  handle: async (ctx, input) => {
    const { body, exactBody } = input;
    const answer = await editDraft(ctx, input.params.id, draftWrite(input), {
      name: "element",
      command: {
        kind: "change_element",
        id: input.params.element_id,
        pageId: body.page_id,
        parentId: body.parent_id,
        index: body.index,
        properties: propertiesOf(exactBody(), "element"),
      },
    });
    return draftReply(answer);
  },
});
