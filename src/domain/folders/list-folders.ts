import type { z } from "zod";
import type { WorkflowFolderList } from "../../contracts/workflow-folder.ts";
import type { CallerContext } from "../../platform/context.ts";
import { FolderStore } from "../../storage/d1/folder-store.ts";
import { describeFolders } from "./describe-folders.ts";

/** Every folder of the workspace, on one page. */
export async function listFolders(
  ctx: CallerContext,
): Promise<z.output<typeof WorkflowFolderList>> {
  const { folders, workflows } = await new FolderStore(
    ctx.env,
    ctx.principal.workspaceId,
  ).listAll();
  const data = describeFolders(folders, workflows);
  return { data, has_more: false, next_cursor: null, total_count: data.length };
}
