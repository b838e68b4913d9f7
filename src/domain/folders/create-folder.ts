import type { WorkflowFolder } from "../../contracts/workflows/workflow-folder.ts";
import { AppError } from "../../lib/errors/errors.ts";
import type { CallerContext } from "../../platform/context.ts";
import { newId } from "../../platform/ids.ts";
import type { OnceStatements } from "../../storage/d1/idempotency-store.ts";
import { FolderStore } from "../../storage/d1/folder-store.ts";
import { describeFolders } from "./describe-folders.ts";
import { requireFolder } from "./require-folder.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

/** Limited, because every list of folders contains all of them. */
const FOLDERS_MAX = LIMITS.folders.value;
/** Keeps paths readable and short to resolve. */
const DEPTH_MAX = LIMITS.folder_depth.value;

/**
 * Throws `conflict` if the name exists in the same location, `not_found` or `forbidden` for the
 * parent.
 */
export async function createFolder(
  ctx: CallerContext,
  given: { readonly name: string; readonly parentId: string | null },
  once?: OnceStatements,
): Promise<WorkflowFolder> {
  await requireFolder(ctx, given.parentId);
  const store = new FolderStore(ctx.env, ctx.principal.workspaceId);
  const { folders } = await store.listAll();
  const nowMs = ctx.nowMs();
  const folder = {
    id: newId("folder", nowMs),
    parent_id: given.parentId,
    // The same text for names that look the same (docs/contract/workflows.md#folders `conflict`).
    name: given.name.normalize("NFC"),
    created_at_ms: nowMs,
  };
  const described = describeFolders([...folders, folder], new Map()).at(-1);
  if (described === undefined || described.path.split("/").length - 1 > DEPTH_MAX) {
    throw new AppError(
      "validation_error",
      `Folders nest at most ${DEPTH_MAX} deep. Create it higher up.`,
      {
        errors: [
          {
            field: "parent_id",
            message: `This folder is at the maximum depth of ${DEPTH_MAX} levels.`,
          },
        ],
      },
    );
  }
  const outcome = await store.insert(folder, FOLDERS_MAX, once);
  switch (outcome) {
    case "inserted":
      return described;
    case "name_taken":
      throw new AppError(
        "conflict",
        `This location already has a folder "${folder.name}". Choose another name.`,
      );
    case "too_many":
      throw new AppError(
        "validation_error",
        `A workspace can have ${FOLDERS_MAX} folders, and this one has reached the limit.`,
      );
  }
}
