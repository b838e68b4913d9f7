import { EditedSampleSet } from "../../contracts/design-template.ts";
import { editDraft } from "../../domain/templates/edit-draft.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { SAMPLE_SET_BODY, sampleSetParams, propertiesOf } from "./edit-route.ts";
import {
  CONTENT_ERRORS,
  DRAFT_ETAG,
  DRAFT_WRITE,
  draftReply,
  draftWrite,
} from "./template-route.ts";

const { tag, access, createsOnce, inOrder, headers, errors } = DRAFT_WRITE;

export const patchSampleSet = defineEndpoint({
  method: "patch",
  path: "/api/v1/design-templates/{id}/draft/sample-sets/{sample_set_id}",
  operationId: "patchDesignSampleSet",
  summary: "Change a sample set of the draft",
  description: "`name` and `values` are replaced whole.",
  tag,
  access,
  createsOnce,
  request: { params: sampleSetParams, headers, body: SAMPLE_SET_BODY, inOrder },
  responses: { 200: { description: "The sample set", body: EditedSampleSet, headers: DRAFT_ETAG } },
  errors: [...errors, ...CONTENT_ERRORS, "invalid_sample_set_id", "sample_set_not_found"],
  handle: async (ctx, input) => {
    const { exactBody } = input;
    const answer = await editDraft(ctx, input.params.id, draftWrite(input), {
      name: "sample_set",
      command: {
        kind: "change",
        target: "sample_set",
        id: input.params.sample_set_id,

        properties: propertiesOf(exactBody(), "sample_set"),
      },
    });
    return draftReply(answer);
  },
});
