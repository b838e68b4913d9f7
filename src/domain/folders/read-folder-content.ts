import type { WorkflowFolderContent } from "../../contracts/workflows/workflow-folder.ts";
import { foldCase } from "../../lib/fold-case.ts";
import type { CallerContext } from "../../platform/context.ts";
import { FolderStore } from "../../storage/d1/folder-store.ts";
import { WorkflowStore } from "../../storage/d1/workflow-store.ts";
import { workflowCursor, workflowItem } from "../workflows/workflow-item.ts";
import { describeFolders } from "./describe-folders.ts";
import { requireFolder } from "./require-folder.ts";
import { pageOf } from "../list-page.ts";

export interface ReadFolderContent {
  /** Only names that contain it, ignoring case. */
  readonly search: string | undefined;
  readonly limit: number;
  readonly startingAfter: string | undefined;
}

/**
 * The content of a folder (null: the top level), without subfolders' content. Throws `not_found`,
 * `forbidden`, `invalid_request` (cursor).
 */
export async function readFolderContent(
  ctx: CallerContext,
  folderId: string | null,
  given: ReadFolderContent,
): Promise<WorkflowFolderContent> {
  const { workspaceId } = ctx.principal;
  await requireFolder(ctx, folderId);
  const belowSeq = await workflowCursor(
    new WorkflowStore(ctx.env, workspaceId),
    given.startingAfter,
  );
  const store = new FolderStore(ctx.env, workspaceId);
  const search = given.search === undefined || given.search === "" ? null : given.search;
  const { folders, workflows } = await store.listAll();
  const described = describeFolders(folders, workflows);
  const found = await store.listWorkflows(folderId, search, belowSeq, given.limit + 1);
  const { data, ...page } = pageOf(found, given.limit, workflowItem, ({ id }) => id);
  return {
    folder: described.find((folder) => folder.id === folderId) ?? null,
    subfolders: described.filter(
      (folder) =>
        folder.parent_id === folderId &&
        (search === null || foldCase(folder.name).includes(foldCase(search))),
    ),
    workflows: data,
    ...page,
  };
}
