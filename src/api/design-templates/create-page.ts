import { EditedPage } from "../../contracts/templates/design-template.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { EDIT, EDIT_ERRORS, EDIT_REQUEST, edited, editEntry, SHEET_BODY } from "./edit-route.ts";
import { templateParams } from "./template-route.ts";

export const createPage = defineEndpoint({
  ...EDIT,
  method: "post",
  path: "/api/v1/design-templates/{id}/draft/pages",
  operationId: "createDesignPage",
  summary: "Add a page to the draft",
  description: "The new page is empty; `index` gives its position. An id may be given.",
  request: { ...EDIT_REQUEST, params: templateParams, body: SHEET_BODY },
  responses: { 201: edited("The page", EditedPage) },
  errors: EDIT_ERRORS,
  handle: (ctx, input) =>
    editEntry(ctx, input, "page", {
      kind: "create",
      target: "page",
      index: input.body.index,
    }),
});
