import type { MoveWorkflowsResult } from "../../contracts/workflows/workflow-folder.ts";
import { AppError } from "../../lib/errors/errors.ts";
import type { CallerContext } from "../../platform/context.ts";
import { FolderStore } from "../../storage/d1/folder-store.ts";
import { requireFolder } from "./require-folder.ts";

const NAMED_MAX = 5;

/** Moves all of the workflows or none. Throws `not_found` or `forbidden` for the folder or any workflow. */
export async function moveWorkflows(
  ctx: CallerContext,
  workflowIds: readonly string[],
  folderId: string | null,
): Promise<MoveWorkflowsResult> {
  await requireFolder(ctx, folderId);
  const ids = [...new Set(workflowIds)];
  const store = new FolderStore(ctx.env, ctx.principal.workspaceId);
  if (!(await store.moveWorkflows(ids, folderId, ctx.nowMs()))) {
    const strangers = await store.strangers(ids);
    const elsewhere = strangers.filter(({ isElsewhere }) => isElsewhere);
    const named = (elsewhere.length > 0 ? elsewhere : strangers).map(({ id }) => id);
    const list = `${named.slice(0, NAMED_MAX).join(", ")}${named.length > NAMED_MAX ? ", …" : ""}`;
    throw elsewhere.length > 0
      ? new AppError("forbidden", `No workflow was moved: ${list} belongs to another workspace.`)
      : new AppError("not_found", `No workflow was moved: there is no workflow ${list}.`);
  }
  return { moved: ids.length, folder_id: folderId, workflow_ids: ids };
}
