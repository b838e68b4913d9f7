import { isTerminal } from "../../../contracts/runs/run.ts";
import { AppError } from "../../../lib/errors/errors.ts";
import type { CallerContext } from "../../../platform/context.ts";
import { openRunEvents } from "../../../storage/objects/open-run-events.ts";
import { findIndexedRun } from "./find-indexed-run.ts";
import { runCaller } from "../run-caller.ts";

/** Time for a run that was just admitted to start. */
const BIRTH_MS = 2_000;
const LOOK_AGAIN_MS = 100;

/**
 * The events of a run after `lastEventId` (null: all events) as server-sent events; null if the
 * caller has all of them. Throws `not_found`, `forbidden`, `validation_error` for an id that is not
 * the run's, and `service_unavailable` for a run that is being started.
 */
export async function openEvents(
  ctx: CallerContext,
  runId: string,
  lastEventId: string | null,
): Promise<ReadableStream<Uint8Array> | string | null> {
  for (let waitedMs = 0; ; waitedMs += LOOK_AGAIN_MS) {
    const result = await openRunEvents(ctx, runId, {
      ...runCaller(ctx),
      last_event_id: lastEventId,
    });
    if (result.ok) {
      return result.value;
    }
    const row = await findIndexedRun(ctx, runId, result);
    if (isTerminal(row.status)) {
      // Rejected at admission: a run without an object has two events.
      return refusedEvents(row.status, row.completed_at_ms ?? row.created_at_ms, lastEventId);
    }
    if (waitedMs >= BIRTH_MS) {
      throw new AppError(
        "service_unavailable",
        `The execution ${runId} is being started. Try again.`,
        { headers: { "retry-after": "1" } },
      );
    }
    await scheduler.wait(LOOK_AGAIN_MS);
  }
}

function refusedEvents(status: string, atMs: number, lastEventId: string | null): string | null {
  const data = JSON.stringify({ status, at: new Date(atMs).toISOString() });
  const events = ["status", "done"].map(
    (event, i) => `id: 0-${String(i)}\nevent: ${event}\ndata: ${data}\n\n`,
  );
  const seen = lastEventId === null ? 0 : Number(/^0-([01])$/.exec(lastEventId)?.[1] ?? -1) + 1;
  if (lastEventId !== null && seen === 0) {
    const message = `"${lastEventId.slice(0, 40)}" is not an event of this run. Send the id of the last event you received, or omit it to start from the beginning.`;
    throw new AppError("validation_error", `Last-Event-ID: ${message}`, {
      errors: [{ field: "Last-Event-ID", message }],
    });
  }
  return seen >= events.length ? null : events.slice(seen).join("");
}
