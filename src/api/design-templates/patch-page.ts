import { EditedPage } from "../../contracts/templates/design-template.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import {
  EDIT,
  EDIT_ERRORS,
  EDIT_REQUEST,
  edited,
  editEntry,
  pageParams,
  SHEET_BODY,
} from "./edit-route.ts";

export const patchPage = defineEndpoint({
  ...EDIT,
  method: "patch",
  path: "/api/v1/design-templates/{id}/draft/pages/{page_id}",
  operationId: "patchDesignPage",
  summary: "Change a page of the draft",
  description: "Named properties are replaced whole, null removes one; `index` moves the page.",
  request: { ...EDIT_REQUEST, params: pageParams, body: SHEET_BODY },
  responses: { 200: edited("The page", EditedPage) },
  errors: [...EDIT_ERRORS, "page_not_found"],
  handle: (ctx, input) =>
    editEntry(ctx, input, "page", {
      kind: "change",
      target: "page",
      id: input.params.page_id,
      index: input.body.index,
    }),
});
