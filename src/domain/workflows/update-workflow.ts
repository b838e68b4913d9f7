import type { WorkflowDetail } from "../../contracts/workflows/workflow.ts";
import type { CallerContext } from "../../platform/context.ts";
import { type MetadataChange, WorkflowStore } from "../../storage/d1/workflow-store.ts";
import type { WorkflowRow } from "../../storage/d1/workflow-row.ts";
import { requireFolder } from "../folders/require-folder.ts";
import { changeStatus } from "./change-status.ts";
import { describeWorkflow } from "./describe-workflow.ts";

/**
 * Changes name, description, tags or folder; omitted fields stay unchanged, and a request without
 * changes writes nothing. Never changes the status, a version or the definition.
 */
export async function updateWorkflow(
  ctx: CallerContext,
  id: string,
  change: MetadataChange,
): Promise<WorkflowDetail> {
  const store = new WorkflowStore(ctx.env, ctx.principal.workspaceId);
  const row = await changeStatus(ctx, id, async (current) => {
    if (isWithoutEffect(change, current)) {
      return true;
    }
    await requireFolder(ctx, change.folderId ?? null);
    return await store.updateMetadata(id, change, ctx.nowMs());
  });
  return await describeWorkflow(ctx, row);
}

function isWithoutEffect(
  { name, description, tags, folderId }: MetadataChange,
  row: WorkflowRow,
): boolean {
  return (
    (name ?? row.name) === row.name &&
    (description ?? row.description) === row.description &&
    JSON.stringify(tags ?? row.tags) === JSON.stringify(row.tags) &&
    (folderId === undefined || folderId === row.folder_id)
  );
}
