import { EditedElement } from "../../contracts/templates/design-template.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import {
  EDIT,
  EDIT_ERRORS,
  EDIT_REQUEST,
  edited,
  editEntry,
  NEW_ELEMENT_BODY,
} from "./edit-route.ts";
import { templateParams } from "./template-route.ts";

export const createElement = defineEndpoint({
  ...EDIT,
  method: "post",
  path: "/api/v1/design-templates/{id}/draft/elements",
  operationId: "createDesignElement",
  summary: "Add an element to the draft",
  description:
    "`type` and the properties of the element; `page_id`, `parent_id` and `index` say where it goes. An id may be given.",
  request: { ...EDIT_REQUEST, params: templateParams, body: NEW_ELEMENT_BODY },
  responses: { 201: edited("The element", EditedElement) },
  errors: [...EDIT_ERRORS, "page_not_found"],
  handle: (ctx, input) =>
    editEntry(ctx, input, "element", {
      kind: "create_element",
      pageId: input.body.page_id,
      parentId: input.body.parent_id,
      index: input.body.index,
    }),
});
