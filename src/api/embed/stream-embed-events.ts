import { openCallerEvents } from "../../domain/embeds/embed-events.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { EVENTS_REQUEST, eventsReply } from "../executions/stream-execution-events.ts";

const EXAMPLE = [
  "retry: 1000",
  'id: 0-0\nevent: status\ndata: {"status":"pending","at":"2026-11-24T12:00:00.000Z"}',
  'id: 1-0\nevent: status\ndata: {"status":"running","at":"2026-11-24T12:00:00.010Z"}',
  'id: 2-4\nevent: done\ndata: {"status":"completed","at":"2026-11-24T12:00:00.030Z"}',
  "",
].join("\n\n");

export const streamEmbedEvents = defineEndpoint({
  method: "get",
  path: "/api/embed/executions/{id}/events",
  operationId: "streamEmbedEvents",
  summary: "Watch a run of the token",
  description:
    "As `GET /api/v1/executions/{id}/events`, with the events `status`, `progress`, `output` and `done` alone. The stream ends within a second after the token was revoked.",
  tag: "Embeds",
  access: "embed:ws:executions:read",
  request: EVENTS_REQUEST,
  responses: {
    200: { description: "The events", contentType: "text/event-stream", example: EXAMPLE },
    204: { description: "There are no more events" },
  },
  errors: ["invalid_id", "validation_error", "not_found"],
  handle: (ctx, { params, query, headers }, c) =>
    eventsReply(c.req.raw.method, headers["last-event-id"] ?? query.last_event_id, (lastEventId) =>
      openCallerEvents(ctx, params.id, lastEventId),
    ),
});
