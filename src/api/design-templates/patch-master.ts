import { EditedMaster } from "../../contracts/templates/design-template.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import {
  EDIT,
  EDIT_ERRORS,
  EDIT_REQUEST,
  edited,
  editEntry,
  masterParams,
  SHEET_BODY,
} from "./edit-route.ts";

export const patchMaster = defineEndpoint({
  ...EDIT,
  method: "patch",
  path: "/api/v1/design-templates/{id}/draft/masters/{master_id}",
  operationId: "patchDesignMaster",
  summary: "Change a master page of the draft",
  description:
    "Named properties are replaced whole, null removes one; `index` moves the master page.",
  request: { ...EDIT_REQUEST, params: masterParams, body: SHEET_BODY },
  responses: { 200: edited("The master page", EditedMaster) },
  errors: [...EDIT_ERRORS, "master_not_found"],
  handle: (ctx, input) =>
    editEntry(ctx, input, "master", {
      kind: "change",
      target: "master",
      id: input.params.master_id,
      index: input.body.index,
    }),
});
