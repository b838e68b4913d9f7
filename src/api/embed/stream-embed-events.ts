import { openEmbedEvents } from "../../domain/embeds/embed-events.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { EVENTS_REQUEST, eventsReply } from "../executions/stream-execution-events.ts";

export const streamEmbedEvents = defineEndpoint({
  method: "get",
  path: "/api/embed/executions/{id}/events",
  operationId: "streamEmbedEvents",
  summary: "Watch a run of the token",
  description:
    "As `GET /api/v1/executions/{id}/events`, with the events `status`, `progress`, `output` and `done` alone. The stream ends within 5 seconds after the token was revoked.",
  tag: "Embeds",
  access: "embed:ws:executions:read",
  request: EVENTS_REQUEST,
  responses: {
    200: { description: "The events", contentType: "text/event-stream" },
    204: { description: "There are no more events" },
  },
  errors: ["invalid_id", "validation_error", "not_found"],
  handle: (ctx, { params, query, headers }, c) =>
    eventsReply(c.req.raw.method, headers["last-event-id"] ?? query.last_event_id, (lastEventId) =>
      openEmbedEvents(ctx, params.id, lastEventId),
    ),
});
