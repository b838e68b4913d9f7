import * as z from "zod";
import { openCallerEvents } from "../../domain/embeds/embed-events.ts";
import { defineEndpoint, type RawReply } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

/** Parameters of the routes of events. */
export const EVENTS_REQUEST = {
  params: z.object({ id: idField("run") }),
  query: z.object({
    last_event_id: z
      .string()
      .max(LIMITS.resource_id.value)
      .optional()
      .describe("Same as the header, for clients that cannot set headers."),
  }),
  headers: z.object({
    "last-event-id": z
      .string()
      .max(LIMITS.resource_id.value)
      .optional()
      .describe("Id of the last event you received."),
  }),
};

export const streamExecutionEvents = defineEndpoint({
  method: "get",
  path: "/api/v1/executions/{id}/events",
  operationId: "streamExecutionEvents",
  summary: "Watch an execution",
  description:
    "Server-sent events `status`, `progress`, `node`, `output` and, last, `done`, from the run's " +
    "beginning or after the event you name, also for a run that has ended. Each event has an id and JSON " +
    "`data` with `at`. Events name nodes, states and positions and never contain values: read `/result` for " +
    "these. `progress` events may be skipped, all others are sent. Returns 204 if you have received `done`. " +
    "`text` events are different: they contain the text of a task in progress (append `delta`; with " +
    "`reset` start again), have the id of the event before, and are never replayed.",
  tag: "Executions",
  access: { scope: "executions:read", permission: "ws:executions:read" },
  request: EVENTS_REQUEST,
  responses: {
    200: { description: "The events", contentType: "text/event-stream" },
    204: { description: "There are no more events" },
  },
  errors: ["invalid_id", "validation_error", "not_found", "forbidden"],
  handle: (ctx, { params, query, headers }, c) =>
    eventsReply(c.req.raw.method, headers["last-event-id"] ?? query.last_event_id, (lastEventId) =>
      openCallerEvents(ctx, params.id, lastEventId),
    ),
});

/** A response with server-sent events; 204 if there are no more. A request without an id, or with `""`, gets all events. */
export async function eventsReply(
  method: string,
  // A client that reconnects by itself sends the header; its address may name an older event.
  lastEventId: string | undefined,
  open: (lastEventId: string | null) => Promise<ReadableStream<Uint8Array> | string | null>,
): Promise<{ readonly status: 204 } | RawReply> {
  const body = await open(lastEventId === undefined || lastEventId === "" ? null : lastEventId);
  if (body === null) {
    return { status: 204 };
  }
  if (method === "HEAD" && typeof body !== "string") {
    await body.cancel();
  }
  return {
    response: new Response(method === "HEAD" ? null : body, {
      headers: {
        "content-type": "text/event-stream; charset=utf-8",
        "cache-control": "no-store",
        // Buffering proxies would hold events back.
        "x-accel-buffering": "no",
      },
    }),
  };
}
