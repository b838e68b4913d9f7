import { openBatchEvents } from "../../domain/batches/read-batch.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { EVENTS_REQUEST, eventsReply } from "../executions/stream-execution-events.ts";
import { BATCH_ERRORS, BATCH_PARAMS, READ_BATCHES } from "./batch-route.ts";

export const streamBatchEvents = defineEndpoint({
  method: "get",
  path: "/api/v1/batch-executions/{id}/events",
  operationId: "streamBatchEvents",
  summary: "Watch a batch",
  description:
    "Server-sent events `status`, `progress` (the counters; may be skipped), `item` for each item that ends, and, last, `done`, from the beginning or after the event that you name. Returns 204 if you have received `done`.",
  tag: "Batch executions",
  access: READ_BATCHES,
  request: { ...EVENTS_REQUEST, params: BATCH_PARAMS },
  responses: {
    200: { description: "The events", contentType: "text/event-stream" },
    204: { description: "There are no more events" },
  },
  errors: [...BATCH_ERRORS, "validation_error"],
  handle: (ctx, { params, query, headers }, c) =>
    eventsReply(c.req.raw.method, headers["last-event-id"] ?? query.last_event_id, (last) =>
      openBatchEvents(ctx, params.id, last),
    ),
});
