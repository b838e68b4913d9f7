import type { BatchEventsRequest } from "../../contracts/batches/batch-events-request.ts";
import type { Env } from "../../platform/env.ts";
import { type Failure, ok, type Result } from "../../lib/result.ts";
import { batchObject } from "./batch-object.ts";

/**
 * Server-sent events of a batch, as bytes; ends after `done`. Null if the caller already has `done`. Uses `fetch` for the
 * reason of `openRunEvents`.
 */
export async function openBatchEvents(
  ctx: { readonly env: Pick<Env, "BATCH"> },
  batchId: string,
  request: BatchEventsRequest,
): Promise<Result<ReadableStream<Uint8Array> | null>> {
  const address = `https://batch/events?request=${encodeURIComponent(JSON.stringify(request))}`;
  const response = await batchObject(ctx, batchId).fetch(address);
  return response.status === 200 || response.status === 204
    ? ok(response.body)
    : response.json<Failure>();
}
