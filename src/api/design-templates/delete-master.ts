import { editDraft } from "../../domain/templates/edit-draft.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { masterParams } from "./edit-route.ts";
import { DRAFT_ETAG, DRAFT_WRITE, draftReply, draftWrite } from "./template-route.ts";

const { tag, access, createsOnce, inOrder, headers, errors } = DRAFT_WRITE;

export const deleteMaster = defineEndpoint({
  method: "delete",
  path: "/api/v1/design-templates/{id}/draft/masters/{master_id}",
  operationId: "deleteDesignMaster",
  summary: "Remove a master page from the draft",
  description: "What the rest of the document refers to cannot be removed.",
  tag,
  access,
  createsOnce,
  request: { params: masterParams, headers, inOrder },
  responses: { 204: { description: "Removed", headers: DRAFT_ETAG } },
  errors: [...errors, "content_invalid", "master_not_found"],
  handle: async (ctx, input) =>
    draftReply(
      await editDraft(ctx, input.params.id, draftWrite(input), {
        name: "master",
        command: { kind: "remove", target: "master", id: input.params.master_id },
      }),
    ),
});
