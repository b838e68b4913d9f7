import { describeCause } from "../../lib/describe-cause.ts";
import type { AppContext } from "../../platform/context.ts";
import { listUnfinished, type UploadTable } from "../../storage/d1/list-unfinished.ts";

/** Longer than any upload may take: its row is no longer anybody's. */
const GRACE_MS = 6 * 60 * 60 * 1000;
const BATCH_MAX = 500;

/** What is announced in one table, and how its store forgets it. */
export interface UnfinishedUploads {
  readonly table: UploadTable;
  readonly failure: string;
  readonly discard: (workspaceId: string, name: string) => Promise<void>;
}

/**
 * Clears up after uploads that a crash cut off: their bytes, if any came so far, and what they hold
 * of the quota. Never throws; what fails is logged as `failure` and tried again next time. Answers
 * how many there were.
 */
export async function sweepUnfinished(
  ctx: AppContext,
  { table, failure, discard }: UnfinishedUploads,
): Promise<number> {
  const { env } = ctx;
  const unfinished = await listUnfinished(env.DB, table, ctx.nowMs() - GRACE_MS, BATCH_MAX);
  for (const { workspace_id, key, name } of unfinished) {
    try {
      await env.FILES.delete(key);
      await discard(workspace_id, name);
    } catch (error) {
      ctx.log.error(failure, { reason: describeCause(error) });
    }
  }
  return unfinished.length;
}
