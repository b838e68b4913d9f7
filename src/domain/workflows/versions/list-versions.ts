import type * as z from "zod";
import type { WorkflowVersionList } from "../../../contracts/workflow.ts";
import { AppError } from "../../../lib/errors.ts";
import type { CallerContext } from "../../../platform/context.ts";
import { WorkflowVersions } from "../../../storage/d1/workflow-versions.ts";
import { requireWorkflow } from "../require-workflow.ts";

const FIRST_PAGE = Number.MAX_SAFE_INTEGER;

/** A page of a workflow's versions, newest first; the cursor is a version number. */
export async function listVersions(
  ctx: CallerContext,
  id: string,
  given: { readonly limit: number; readonly startingAfter: string | undefined },
): Promise<z.output<typeof WorkflowVersionList>> {
  const row = await requireWorkflow(ctx, id);
  const after = given.startingAfter;
  if (after !== undefined && !(/^\d{1,9}$/.test(after) && Number(after) <= row.version)) {
    throw new AppError(
      "invalid_request",
      `starting_after "${after.slice(0, 80)}" is not a version of ${id}. Send next_cursor of the previous page, as it was returned.`,
    );
  }
  const versions = new WorkflowVersions(ctx.env, ctx.principal.workspaceId);
  const { rows, total } = await versions.list(
    id,
    after === undefined ? FIRST_PAGE : Number(after),
    given.limit + 1,
  );
  const page = rows.slice(0, given.limit);
  const hasMore = rows.length > given.limit;
  return {
    data: page.map(({ version, created_at_ms }) => ({
      version,
      is_current: version === row.version,
      created_at: new Date(created_at_ms).toISOString(),
    })),
    has_more: hasMore,
    next_cursor: hasMore ? String(page.at(-1)?.version) : null,
    total_count: total,
  };
}
