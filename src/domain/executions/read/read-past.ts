/** Documents of a run as they were at one of its events (docs/contract/executions.md#past-states). */
import { createHash } from "node:crypto";
import type { RunPastDocument, RunPastRequest } from "../../../contracts/runs/run-object-api.ts";
import { type AsOf, isTerminal } from "../../../contracts/runs/run.ts";
import type { RunIndexRow } from "../../../contracts/workspaces/admission.ts";
import { renderResult } from "../../../engine/view/render-result.ts";
import { AppError } from "../../../lib/errors/errors.ts";
import { matchesEntityTag } from "../../../lib/http/entity-tag.ts";
import { textBody } from "../../../lib/http/text-body.ts";
import type { CallerContext } from "../../../platform/context.ts";
import { runObject } from "../../../storage/objects/run-object.ts";
import { runCaller } from "../run-caller.ts";
import { unstartedExecution } from "./execution-from-index.ts";
import { findIndexedRun } from "./find-indexed-run.ts";
import { unstartedTrace } from "./read-trace.ts";
import { unstartedView } from "./unstarted-view.ts";

type Document = RunPastRequest["document"];

export interface PastRequest {
  readonly document: Document;
  readonly eventId: string;
  /** The request's `If-None-Match`. */
  readonly ifNoneMatch: string | null;
}

/** A past document and how long a caller may keep it. */
export interface PastAnswer extends Pick<RunPastDocument, "etag" | "body"> {
  readonly cacheControl: string;
}

/**
 * Throws `not_found` and `forbidden` as the current documents do, and `validation_error` for an event that the run has
 * not issued.
 */
export async function readPast(
  ctx: CallerContext,
  runId: string,
  { document, eventId, ifNoneMatch }: PastRequest,
): Promise<PastAnswer> {
  const found = await runObject(ctx, runId).past({
    ...runCaller(ctx),
    document,
    event_id: eventId,
    if_none_match: ifNoneMatch,
  });
  const past = found.ok
    ? found.value
    : await unstarted(ctx, await indexedRun(ctx, runId, eventId, found), {
        document,
        eventId,
        ifNoneMatch,
      });
  const { etag, body } = past;
  return { etag, body, cacheControl: cacheControl(ctx, document, past) };
}

async function indexedRun(
  ctx: CallerContext,
  runId: string,
  eventId: string,
  failure: Parameters<typeof findIndexedRun>[2],
): Promise<RunIndexRow> {
  const row = await findIndexedRun(ctx, runId, failure);
  const { last_event_id: last } = unstartedExecution(row);
  if (eventId !== "0-0" && eventId !== last) {
    const message = `"${eventId.slice(0, 40)}" is not an event of this run. Its last event is ${last}.`;
    throw new AppError("validation_error", `as_of_event: ${message}`, {
      errors: [{ field: "as_of_event", message }],
    });
  }
  return row;
}

/** A run without a run object has made one commit: its end, or none. */
async function unstarted(
  ctx: CallerContext,
  row: RunIndexRow,
  { document, eventId, ifNoneMatch }: PastRequest,
): Promise<RunPastDocument> {
  const at = new Date(row.completed_at_ms ?? row.created_at_ms).toISOString();
  const asOf: AsOf = { event_id: eventId, at };
  const hash = createHash("sha256")
    .update(JSON.stringify([row, asOf]))
    .digest("base64url");
  const etag = `"i-${hash.slice(0, 16)}"`;
  const body = matchesEntityTag(ifNoneMatch, etag) ? null : await bodyOf(ctx, row, document, asOf);
  return {
    etag,
    body,
    is_final: isTerminal(row.status),
    has_expired: row.outputs_expired_at_ms !== null,
  };
}

async function bodyOf(
  ctx: CallerContext,
  row: RunIndexRow,
  document: Document,
  asOf: AsOf,
): Promise<NonNullable<RunPastDocument["body"]>> {
  switch (document) {
    case "execution":
      return JSON.stringify({ ...unstartedExecution(row), as_of: asOf });
    case "trace":
      return JSON.stringify({ ...(await unstartedTrace(ctx, row)), as_of: asOf });
    case "result":
      return textBody(renderResult({ ...(await unstartedView(ctx, row)), asOf }));
  }
}

/** Signed addresses of files are valid for an hour, and documents with expired outputs change once more. */
function cacheControl(
  { env }: Pick<CallerContext, "env">,
  document: Document,
  { is_final, has_expired }: Pick<RunPastDocument, "is_final" | "has_expired">,
): string {
  if (!is_final) {
    return "private, no-cache";
  }
  const hasAddresses = document !== "trace" && env.FILE_ACCESS === "private";
  return hasAddresses || has_expired ? "private, no-store" : "private, max-age=86400, immutable";
}
