import type * as z from "zod";
import type { WorkflowVersionList } from "../../../contracts/workflows/workflow.ts";
import type { CallerContext } from "../../../platform/context.ts";
import { WorkflowVersions } from "../../../storage/d1/workflow-versions.ts";
import { requireWorkflow } from "../require-workflow.ts";
import { badCursor, pageOf } from "../../list-page.ts";

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
    throw badCursor(after, `a version of ${id}`);
  }
  const versions = new WorkflowVersions(ctx.env, ctx.principal.workspaceId);
  const { rows, total } = await versions.list(
    id,
    after === undefined ? FIRST_PAGE : Number(after),
    given.limit + 1,
  );
  return pageOf(
    { rows, total },
    given.limit,
    ({ version, created_at_ms }) => ({
      version,
      is_current: version === row.version,
      created_at: new Date(created_at_ms).toISOString(),
    }),
    ({ version }) => String(version),
  );
}
