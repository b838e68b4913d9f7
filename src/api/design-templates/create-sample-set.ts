import { EditedSampleSet } from "../../contracts/templates/design-template.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import {
  EDIT,
  EDIT_ERRORS,
  EDIT_REQUEST,
  edited,
  editEntry,
  NEW_SAMPLE_SET_BODY,
} from "./edit-route.ts";
import { templateParams } from "./template-route.ts";

export const createSampleSet = defineEndpoint({
  ...EDIT,
  method: "post",
  path: "/api/v1/design-templates/{id}/draft/sample-sets",
  operationId: "createDesignSampleSet",
  summary: "Add a sample set to the draft",
  description:
    "Values that previews and the checks before a publication render. An id may be given.",
  request: { ...EDIT_REQUEST, params: templateParams, body: NEW_SAMPLE_SET_BODY },
  responses: { 201: edited("The sample set", EditedSampleSet) },
  errors: EDIT_ERRORS,
  handle: (ctx, input) =>
    editEntry(ctx, input, "sample_set", {
      kind: "create",
      target: "sample_set",
    }),
});
