import type { RunIndexRow, RunListFilter } from "../../../contracts/workspaces/admission.ts";
import type {
  ExecutionList,
  ExecutionListItem,
} from "../../../contracts/runs/execution-requests.ts";
import { isTerminal } from "../../../contracts/runs/run.ts";
import { describeCause } from "../../../lib/errors/describe-cause.ts";
import { unwrap } from "../../../lib/result.ts";
import type { CallerContext } from "../../../platform/context.ts";
import { tryParseId } from "../../../platform/ids.ts";
import { runObject } from "../../../storage/objects/run-object.ts";
import { workspaceObject } from "../../../storage/objects/workspace-object.ts";
import { executionFromIndex } from "./execution-from-index.ts";

/**
 * Of a live run, at most 99; the index sets 100 for runs that have ended
 * (docs/contract/executions.md#fields).
 */
const UNENDED_PROGRESS_MAX = 99;

/** Runs of the workspace, newest first. An unknown cursor is `invalid_request`. */
export async function listExecutions(
  ctx: CallerContext,
  filter: RunListFilter,
): Promise<ExecutionList> {
  const startingAfter = filter.starting_after;
  const page = unwrap(
    await workspaceObject(ctx, ctx.principal.workspaceId).listRuns({
      ...filter,
      starting_after:
        startingAfter === null ? null : (tryParseId("run", startingAfter) ?? startingAfter),
    }),
  );
  return {
    data: await Promise.all(page.rows.map((row) => listed(ctx, row, filter.status !== null))),
    has_more: page.has_more,
    next_cursor: page.has_more ? (page.rows.at(-1)?.run_id ?? null) : null,
    total_count: page.total_count,
  };
}

/**
 * The index knows how runs ended; only the run objects know the progress of the others. The index
 * still decides which runs are on the page, and which status a filter matches.
 */
async function listed(
  ctx: CallerContext,
  row: RunIndexRow,
  isFiltered: boolean,
): Promise<ExecutionListItem> {
  const indexed = executionFromIndex(row);
  const live = isTerminal(row.status) ? undefined : await liveItem(ctx, row.run_id);
  if (live === undefined) {
    return indexed;
  }
  const hasMoved = isTerminal(live.status) || (isFiltered && live.status !== row.status);
  return hasMoved ? { ...indexed, progress: Math.min(live.progress, UNENDED_PROGRESS_MAX) } : live;
}

/**
 * Undefined for a run that has no object yet, or whose object cannot be reached: a list must not
 * fail because of it.
 */
async function liveItem(ctx: CallerContext, runId: string): Promise<ExecutionListItem | undefined> {
  const request = { v: 1, workspace_id: ctx.principal.workspaceId } as const;
  try {
    const item = await runObject(ctx, runId).listItem(request);
    return item.ok ? item.value : undefined;
  } catch (error) {
    ctx.log.error("execution.progress_unavailable", {
      run_id: runId,
      cause: describeCause(error),
    });
    return undefined;
  }
}
