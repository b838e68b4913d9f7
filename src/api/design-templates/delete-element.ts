import { defineEndpoint } from "../define-endpoint.ts";
import {
  EDIT,
  EDIT_REQUEST,
  elementParams,
  REMOVE_ERRORS,
  REMOVED,
  removeEntry,
} from "./edit-route.ts";

export const deleteElement = defineEndpoint({
  ...EDIT,
  ...REMOVED,
  method: "delete",
  path: "/api/v1/design-templates/{id}/draft/elements/{element_id}",
  operationId: "deleteDesignElement",
  summary: "Remove an element from the draft",
  request: { ...EDIT_REQUEST, params: elementParams },
  errors: [...REMOVE_ERRORS, "content_invalid"],
  handle: (ctx, input) => removeEntry(ctx, input, "element", input.params.element_id),
});
