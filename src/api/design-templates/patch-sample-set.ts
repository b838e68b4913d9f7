import { EditedSampleSet } from "../../contracts/templates/design-template.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import {
  EDIT,
  EDIT_ERRORS,
  EDIT_REQUEST,
  edited,
  editEntry,
  SAMPLE_SET_BODY,
  sampleSetParams,
} from "./edit-route.ts";

export const patchSampleSet = defineEndpoint({
  ...EDIT,
  method: "patch",
  path: "/api/v1/design-templates/{id}/draft/sample-sets/{sample_set_id}",
  operationId: "patchDesignSampleSet",
  summary: "Change a sample set of the draft",
  description: "`name` and `values` are replaced whole.",
  request: { ...EDIT_REQUEST, params: sampleSetParams, body: SAMPLE_SET_BODY },
  responses: { 200: edited("The sample set", EditedSampleSet) },
  errors: [...EDIT_ERRORS, "invalid_sample_set_id", "sample_set_not_found"],
  handle: (ctx, input) =>
    editEntry(ctx, input, "sample_set", {
      kind: "change",
      target: "sample_set",
      id: input.params.sample_set_id,
    }),
});
