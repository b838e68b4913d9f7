import { createHash } from "node:crypto";
import { isTerminal, type Execution } from "../../../contracts/runs/run.ts";
import { matchesEntityTag } from "../../../lib/http/entity-tag.ts";
import type { CallerContext } from "../../../platform/context.ts";
import { runObject } from "../../../storage/objects/run-object.ts";
import { requireValidEmbedToken } from "../../embeds/require-valid-embed-token.ts";
import { unstartedExecution } from "./execution-from-index.ts";
import { findIndexedRun } from "./find-indexed-run.ts";
import { runCaller } from "../run-caller.ts";

export interface ReadOptions {
  /** The request's `If-None-Match`. */
  readonly ifNoneMatch?: string | null;
  /** Reply when the run has ended or this time has passed. */
  readonly waitMs?: number;
}

export interface TaggedExecution {
  readonly etag: string;
  /** Null if `ifNoneMatch` contains the tag. */
  readonly execution: Execution | null;
}

/** Interval in which a run that its object does not have yet is looked up while waiting. */
const UNSTARTED_POLL_MS = 250;

/**
 * The current state of a run. Throws `not_found`, and `forbidden` for a run of another workspace.
 */
export async function readExecution(
  ctx: CallerContext,
  runId: string,
  options: Omit<ReadOptions, "ifNoneMatch"> = {},
): Promise<Execution> {
  const { execution } = await pollExecution(ctx, runId, options);
  if (execution === null) {
    throw new Error("a poll without a tag was answered as unchanged");
  }
  return execution;
}

/**
 * The same with its tag, or the tag alone if the caller has that state. Throws the refusal of an embed token that was
 * revoked during the wait.
 */
export async function pollExecution(
  ctx: CallerContext,
  runId: string,
  options: ReadOptions,
): Promise<TaggedExecution> {
  const polled = await pollRun(ctx, runId, options);
  if ((options.waitMs ?? 0) > 0) {
    await requireValidEmbedToken(ctx);
  }
  return polled;
}

async function pollRun(
  ctx: CallerContext,
  runId: string,
  { ifNoneMatch = null, waitMs = 0 }: ReadOptions,
): Promise<TaggedExecution> {
  // Counted instead of read off a clock, which may be set.
  for (let leftMs = waitMs; ; leftMs = Math.max(leftMs - UNSTARTED_POLL_MS, 0)) {
    const result = await runObject(ctx, runId).read({
      ...runCaller(ctx),
      if_none_match: ifNoneMatch,
      wait_ms: leftMs,
    });
    if (result.ok) {
      return result.value;
    }
    const row = await findIndexedRun(ctx, runId, result);
    if (leftMs === 0 || isTerminal(row.status)) {
      const execution = unstartedExecution(row);
      const hash = createHash("sha256").update(JSON.stringify(execution)).digest("base64url");
      const etag = `"i-${hash.slice(0, 16)}"`;
      return { etag, execution: matchesEntityTag(ifNoneMatch, etag) ? null : execution };
    }
    await scheduler.wait(UNSTARTED_POLL_MS);
  }
}
