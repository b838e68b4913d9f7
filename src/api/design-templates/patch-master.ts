import { EditedMaster } from "../../contracts/design-template.ts";
import { editDraft } from "../../domain/templates/edit-draft.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { SHEET_BODY, masterParams, propertiesOf } from "./edit-route.ts";
import {
  CONTENT_ERRORS,
  DRAFT_ETAG,
  DRAFT_WRITE,
  draftReply,
  draftWrite,
} from "./template-route.ts";

const { tag, access, createsOnce, inOrder, headers, errors } = DRAFT_WRITE;

export const patchMaster = defineEndpoint({
  method: "patch",
  path: "/api/v1/design-templates/{id}/draft/masters/{master_id}",
  operationId: "patchDesignMaster",
  summary: "Change a master page of the draft",
  description:
    "Named properties are replaced whole, null removes one; `index` moves the master page.",
  tag,
  access,
  createsOnce,
  request: { params: masterParams, headers, body: SHEET_BODY, inOrder },
  responses: { 200: { description: "The master page", body: EditedMaster, headers: DRAFT_ETAG } },
  errors: [...errors, ...CONTENT_ERRORS, "master_not_found"],
  handle: async (ctx, input) => {
    const { body, exactBody } = input;
    const answer = await editDraft(ctx, input.params.id, draftWrite(input), {
      name: "master",
      command: {
        kind: "change",
        target: "master",
        id: input.params.master_id,
        index: body.index,
        properties: propertiesOf(exactBody(), "master"),
      },
    });
    return draftReply(answer);
  },
});
