import { defineEndpoint } from "../define-endpoint.ts";
import {
  EDIT,
  EDIT_REQUEST,
  REMOVE_ERRORS,
  REMOVED,
  removeEntry,
  sampleSetParams,
} from "./edit-route.ts";

export const deleteSampleSet = defineEndpoint({
  ...EDIT,
  ...REMOVED,
  method: "delete",
  path: "/api/v1/design-templates/{id}/draft/sample-sets/{sample_set_id}",
  operationId: "deleteDesignSampleSet",
  summary: "Remove a sample set from the draft",
  request: { ...EDIT_REQUEST, params: sampleSetParams },
  errors: [...REMOVE_ERRORS, "invalid_sample_set_id", "sample_set_not_found"],
  handle: (ctx, input) => removeEntry(ctx, input, "sample_set", input.params.sample_set_id),
});
