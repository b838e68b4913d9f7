import { EditedMaster } from "../../contracts/templates/design-template.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { EDIT, EDIT_ERRORS, EDIT_REQUEST, edited, editEntry, SHEET_BODY } from "./edit-route.ts";
import { templateParams } from "./template-route.ts";

export const createMaster = defineEndpoint({
  ...EDIT,
  method: "post",
  path: "/api/v1/design-templates/{id}/draft/masters",
  operationId: "createDesignMaster",
  summary: "Add a master page to the draft",
  description: "The new master page is empty; `index` gives its position. An id may be given.",
  request: { ...EDIT_REQUEST, params: templateParams, body: SHEET_BODY },
  responses: { 201: edited("The master page", EditedMaster) },
  errors: EDIT_ERRORS,
  handle: (ctx, input) =>
    editEntry(ctx, input, "master", {
      kind: "create",
      target: "master",
      index: input.body.index,
    }),
});
