import { editDraft } from "../../domain/templates/edit-draft.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { pageParams } from "./edit-route.ts";
import { DRAFT_ETAG, DRAFT_WRITE, draftReply, draftWrite } from "./template-route.ts";

const { tag, access, createsOnce, inOrder, headers, errors } = DRAFT_WRITE;

export const deletePage = defineEndpoint({
  method: "delete",
  path: "/api/v1/design-templates/{id}/draft/pages/{page_id}",
  operationId: "deleteDesignPage",
  summary: "Remove a page from the draft",
  description: "What the rest of the document refers to cannot be removed.",
  tag,
  access,
  createsOnce,
  request: { params: pageParams, headers, inOrder },
  responses: { 204: { description: "Removed", headers: DRAFT_ETAG } },
  errors: [...errors, "content_invalid", "page_not_found"],
  handle: async (ctx, input) =>
    draftReply(
      await editDraft(ctx, input.params.id, draftWrite(input), {
        name: "page",
        command: { kind: "remove", target: "page", id: input.params.page_id },
      }),
    ),
});
