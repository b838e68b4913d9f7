import type {
  WorkflowFolder,
  WorkflowFolderList,
} from "../../contracts/workflows/workflow-folder.ts";
import { type FolderRow, FolderStore } from "../../storage/d1/folder-store.ts";
import type * as z from "zod";
import type { CallerContext } from "../../platform/context.ts";
import { AppError } from "../../lib/errors/errors.ts";

/** Every folder with its path and counts, in order of creation. */
export function describeFolders(
  folders: readonly FolderRow[],
  workflows: ReadonlyMap<string | null, number>,
): WorkflowFolder[] {
  const byId = new Map(folders.map((folder) => [folder.id, folder]));
  const children = new Map<string | null, number>();
  for (const { parent_id: parent } of folders) {
    children.set(parent, (children.get(parent) ?? 0) + 1);
  }
  const paths = new Map<string, string>();
  // A folder is created after its parent and never moved, so the path to the root always ends.
  const pathOf = (folder: FolderRow): string => {
    const known = paths.get(folder.id);
    if (known !== undefined) {
      return known;
    }
    const parent = folder.parent_id === null ? undefined : byId.get(folder.parent_id);
    const path = `${parent === undefined ? "" : pathOf(parent)}/${folder.name}`;
    paths.set(folder.id, path);
    return path;
  };
  return folders.map((folder) => ({
    id: folder.id,
    name: folder.name,
    parent_id: folder.parent_id,
    path: pathOf(folder),
    workflow_count: workflows.get(folder.id) ?? 0,
    folder_count: children.get(folder.id) ?? 0,
    created_at: new Date(folder.created_at_ms).toISOString(),
  }));
}

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

/** One folder with its path and counts. Throws `not_found`. */
export async function readFolder(ctx: CallerContext, id: string): Promise<WorkflowFolder> {
  const { data } = await listFolders(ctx);
  const folder = data.find((one) => one.id === id);
  if (folder === undefined) {
    throw new AppError("not_found", `The folder ${id} was deleted.`);
  }
  return folder;
}
