import {
  eventsRequestUrl,
  type RunEventsRequest,
} from "../../contracts/runs/run-events-request.ts";
import type { Env } from "../../platform/env.ts";
import { type Failure, ok, type Result } from "../../lib/result.ts";
import { runObject } from "./run-object.ts";

/**
 * Server-sent events of a run, as bytes; ends after `done`. Returns null if the caller already has `done`. Throws
 * `not_found`, `forbidden`, or `validation_error` for an event id that the run has not issued.
 *
 * Uses `fetch` instead of an RPC method that returns a stream: an open RPC stream holds the caller's context and both
 * ends of the RPC session, 22 KB each (docs/decisions/event-stream-memory.md).
 */
export async function openRunEvents(
  ctx: { readonly env: Pick<Env, "RUN"> },
  runId: string,
  request: RunEventsRequest,
): Promise<Result<ReadableStream<Uint8Array> | null>> {
  const response = await runObject(ctx, runId).fetch(eventsRequestUrl(request));
  if (response.status === 200 || response.status === 204) {
    return ok(response.body);
  }
  return response.json<Failure>();
}
