import { EditedSampleSet } from "../../contracts/design-template.ts";
import { editDraft } from "../../domain/templates/edit-draft.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { NEW_SAMPLE_SET_BODY, propertiesOf } from "./edit-route.ts";
import {
  CONTENT_ERRORS,
  DRAFT_ETAG,
  DRAFT_WRITE,
  draftReply,
  draftWrite,
  templateParams,
} from "./template-route.ts";

const { tag, access, createsOnce, inOrder, headers, errors } = DRAFT_WRITE;

export const createSampleSet = defineEndpoint({
  method: "post",
  path: "/api/v1/design-templates/{id}/draft/sample-sets",
  operationId: "createDesignSampleSet",
  summary: "Add a sample set to the draft",
  description:
    "Values that previews and the checks before a publication render. An id may be given.",
  tag,
  access,
  createsOnce,
  request: { params: templateParams, headers, body: NEW_SAMPLE_SET_BODY, inOrder },
  responses: { 201: { description: "The sample set", body: EditedSampleSet, headers: DRAFT_ETAG } },
  errors: [...errors, ...CONTENT_ERRORS],
  handle: async (ctx, input) => {
    const { exactBody } = input;
    const answer = await editDraft(ctx, input.params.id, draftWrite(input), {
      name: "sample_set",
      command: {
        kind: "create",
        target: "sample_set",

        properties: propertiesOf(exactBody(), "sample_set"),
      },
    });
    return draftReply(answer);
  },
});
