import { defineEndpoint } from "../define-endpoint.ts";
import {
  EDIT,
  EDIT_REQUEST,
  pageParams,
  REMOVE_ERRORS,
  REMOVED,
  removeEntry,
} from "./edit-route.ts";

export const deletePage = defineEndpoint({
  ...EDIT,
  ...REMOVED,
  method: "delete",
  path: "/api/v1/design-templates/{id}/draft/pages/{page_id}",
  operationId: "deleteDesignPage",
  summary: "Remove a page from the draft",
  request: { ...EDIT_REQUEST, params: pageParams },
  errors: [...REMOVE_ERRORS, "content_invalid", "page_not_found"],
  handle: (ctx, input) => removeEntry(ctx, input, "page", input.params.page_id),
});
