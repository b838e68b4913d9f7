import { PublishedTemplate } from "../../contracts/templates/design-template.ts";
import { publishTemplate as publish } from "../../domain/templates/publish-template.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { replayHeaders } from "../replay-headers.ts";
import { DRAFT_ETAG, DRAFT_WRITE, draftWrite, templateParams } from "./template-route.ts";

const { tag, access, createsOnce, inOrder, headers, errors } = DRAFT_WRITE;

export const publishTemplate = defineEndpoint({
  method: "post",
  path: "/api/v1/design-templates/{id}/draft/publish",
  operationId: "publishDesignTemplate",
  summary: "Publish the draft",
  description:
    "Freezes the draft as the next revision. If it equals the latest revision, that one is the current one again. Otherwise the checks of `publish-readiness` run first; a `blocking` one is `publish_not_ready` with `checks`. The draft and its ETag stay as they are.",
  tag,
  access,
  createsOnce,
  request: { params: templateParams, headers, inOrder },
  responses: {
    201: { description: "The new revision", body: PublishedTemplate, headers: DRAFT_ETAG },
    200: { description: "The latest revision, which is equal", body: PublishedTemplate },
  },
  // A full disk has the same status as a busy renderer.
  errors: [...errors, "publish_not_ready", "design_render_busy", "service_unavailable"],
  handle: async (ctx, input) => {
    const { status, etag, body, isReplay } = await publish(ctx, input.params.id, draftWrite(input));
    return { status, body, headers: { etag: `"${etag}"`, ...replayHeaders(isReplay) } };
  },
});
