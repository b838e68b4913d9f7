import { editDraft } from "../../domain/templates/edit-draft.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { sampleSetParams } from "./edit-route.ts";
import { DRAFT_ETAG, DRAFT_WRITE, draftReply, draftWrite } from "./template-route.ts";

const { tag, access, createsOnce, inOrder, headers, errors } = DRAFT_WRITE;

export const deleteSampleSet = defineEndpoint({
  method: "delete",
  path: "/api/v1/design-templates/{id}/draft/sample-sets/{sample_set_id}",
  operationId: "deleteDesignSampleSet",
  summary: "Remove a sample set from the draft",
  description: "What the rest of the document refers to cannot be removed.",
  tag,
  access,
  createsOnce,
  request: { params: sampleSetParams, headers, inOrder },
  responses: { 204: { description: "Removed", headers: DRAFT_ETAG } },
  errors: [...errors, "invalid_sample_set_id", "sample_set_not_found"],
  handle: async (ctx, input) =>
    draftReply(
      await editDraft(ctx, input.params.id, draftWrite(input), {
        name: "sample_set",
        command: { kind: "remove", target: "sample_set", id: input.params.sample_set_id },
      }),
    ),
});
