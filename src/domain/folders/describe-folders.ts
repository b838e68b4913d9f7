import type { WorkflowFolder } from "../../contracts/workflow-folder.ts";
import type { FolderRow } from "../../storage/d1/folder-store.ts";

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
  // A folder is made after its parent and never moved, so the way up always ends.
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
