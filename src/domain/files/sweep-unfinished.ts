import { describeCause } from "../../lib/errors/describe-cause.ts";
import type { AppContext } from "../../platform/context.ts";
import { listUnfinished, type UploadTable } from "../../storage/d1/list-unfinished.ts";

/** Longer than any upload may take: no request uses the row any more. */
const GRACE_MS = 6 * 60 * 60 * 1000;
const BATCH_MAX = 500;

/** A table with announced files, and how its store removes them. */
export interface UnfinishedUploads {
  readonly table: UploadTable;
  readonly failure: string;
  readonly discard: (workspaceId: string, name: string) => Promise<void>;
}

/**
 * Removes the remains of uploads that a crash interrupted: their bytes, if any, and their
 * reservation of the quota. Never throws; a failure is logged as `failure` and tried again next
 * time. Returns the number of uploads found.
 */
export async function sweepUnfinished(
  ctx: AppContext,
  { table, failure, discard }: UnfinishedUploads,
): Promise<number> {
  const { env } = ctx;
  const unfinished = await listUnfinished(ctx, table, ctx.nowMs() - GRACE_MS, BATCH_MAX);
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
