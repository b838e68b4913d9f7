import { editDraft } from "../../domain/templates/edit-draft.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { elementParams } from "./edit-route.ts";
import { DRAFT_ETAG, DRAFT_WRITE, draftReply, draftWrite } from "./template-route.ts";

const { tag, access, createsOnce, inOrder, headers, errors } = DRAFT_WRITE;

export const deleteElement = defineEndpoint({
  method: "delete",
  path: "/api/v1/design-templates/{id}/draft/elements/{element_id}",
  operationId: "deleteDesignElement",
  summary: "Remove an element from the draft",
  description: "What the rest of the document refers to cannot be removed.",
  tag,
  access,
  createsOnce,
  request: { params: elementParams, headers, inOrder },
  responses: { 204: { description: "Removed", headers: DRAFT_ETAG } },
  errors: [...errors, "content_invalid"],
  handle: async (ctx, input) =>
    draftReply(
      await editDraft(ctx, input.params.id, draftWrite(input), {
        name: "element",
        command: { kind: "remove", target: "element", id: input.params.element_id },
      }),
    ),
});
