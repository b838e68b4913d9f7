import { defineEndpoint } from "../define-endpoint.ts";
import {
  EDIT,
  EDIT_REQUEST,
  masterParams,
  REMOVE_ERRORS,
  REMOVED,
  removeEntry,
} from "./edit-route.ts";

export const deleteMaster = defineEndpoint({
  ...EDIT,
  ...REMOVED,
  method: "delete",
  path: "/api/v1/design-templates/{id}/draft/masters/{master_id}",
  operationId: "deleteDesignMaster",
  summary: "Remove a master page from the draft",
  request: { ...EDIT_REQUEST, params: masterParams },
  errors: [...REMOVE_ERRORS, "content_invalid", "master_not_found"],
  handle: (ctx, input) => removeEntry(ctx, input, "master", input.params.master_id),
});
