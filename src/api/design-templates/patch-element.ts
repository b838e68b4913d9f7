import { EditedElement } from "../../contracts/templates/design-template.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import {
  EDIT,
  EDIT_ERRORS,
  EDIT_REQUEST,
  edited,
  editEntry,
  ELEMENT_BODY,
  elementParams,
} from "./edit-route.ts";

export const patchElement = defineEndpoint({
  ...EDIT,
  method: "patch",
  path: "/api/v1/design-templates/{id}/draft/elements/{element_id}",
  operationId: "patchDesignElement",
  summary: "Change an element of the draft",
  description:
    "Named properties are replaced whole, null removes one; `page_id`, `parent_id` and `index` move the element without changing its numbers.",
  request: { ...EDIT_REQUEST, params: elementParams, body: ELEMENT_BODY },
  responses: { 200: edited("The element", EditedElement) },
  errors: [...EDIT_ERRORS, "page_not_found"],
  handle: (ctx, input) =>
    editEntry(ctx, input, "element", {
      kind: "change_element",
      id: input.params.element_id,
      pageId: input.body.page_id,
      parentId: input.body.parent_id,
      index: input.body.index,
    }),
});
