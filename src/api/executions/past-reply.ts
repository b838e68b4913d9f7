import * as z from "zod";
import { type PastRequest, readPast } from "../../domain/executions/read/read-past.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import type { CallerContext } from "../../platform/context.ts";

/** `as_of_event` of an execution, its result and its trace. */
export const asOfField = z
  .string()
  .max(LIMITS.cursor.value)
  .optional()
  .describe(
    "An event id, such as `3-2`: shows the run as it was once the commit of this event was made.",
  );

/** The response with a past document, or 304. */
export async function pastReply(
  ctx: CallerContext,
  runId: string,
  request: PastRequest,
): Promise<{ readonly response: Response }> {
  const { etag, body, cacheControl } = await readPast(ctx, runId, request);
  const headers = { etag, "cache-control": cacheControl };
  return {
    response:
      body === null
        ? new Response(null, { status: 304, headers })
        : new Response(body, {
            headers: { ...headers, "content-type": "application/json; charset=utf-8" },
          }),
  };
}
