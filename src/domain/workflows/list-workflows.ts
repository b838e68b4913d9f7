import type * as z from "zod";
import type { WorkflowList, WorkflowStatus } from "../../contracts/workflows/workflow.ts";
import type { CallerContext } from "../../platform/context.ts";
import { WorkflowStore } from "../../storage/d1/workflow-store.ts";
import { repairPointers } from "./sync-workflow-pointer.ts";
import { workflowCursor, workflowItem } from "./workflow-item.ts";
import { pageOf } from "../list-page.ts";

export interface ListWorkflows {
  readonly limit: number;
  readonly startingAfter: string | undefined;
  /** Contained in the name, ignoring case. */
  readonly name: string | undefined;
  readonly tag: string | undefined;
  readonly status: WorkflowStatus | "all";
}

/** A page of workflows, newest first. Throws `invalid_request` for an unknown cursor. */
export async function listWorkflows(
  ctx: CallerContext,
  given: ListWorkflows,
): Promise<z.output<typeof WorkflowList>> {
  const store = new WorkflowStore(ctx.env, ctx.principal.workspaceId);
  const belowSeq = await workflowCursor(store, given.startingAfter);
  const { rows, total } = await store.list({
    status: given.status === "all" ? null : given.status,
    name: given.name ?? null,
    tag: given.tag ?? null,
    belowSeq,
    // One item more than the page shows whether there is another page.
    limit: given.limit + 1,
  });
  repairPointers(ctx, rows);
  return pageOf(
    { rows, total },
    given.limit,
    (row) => workflowItem(row),
    ({ id }) => id,
  );
}
