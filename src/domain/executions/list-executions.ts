import type { RunListFilter } from "../../contracts/admission.ts";
import type { ExecutionList } from "../../contracts/execution-requests.ts";
import { unwrap } from "../../lib/result.ts";
import type { CallerContext } from "../../platform/context.ts";
import { tryParseId } from "../../platform/ids.ts";
import { workspaceObject } from "../../storage/objects/workspace-object.ts";
import { executionFromIndex } from "./execution-from-index.ts";

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
    data: page.rows.map((row) => executionFromIndex(row)),
    has_more: page.has_more,
    next_cursor: page.has_more ? (page.rows.at(-1)?.run_id ?? null) : null,
    total_count: page.total_count,
  };
}
