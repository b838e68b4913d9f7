import { AppError } from "../../lib/errors/errors.ts";
import type { CallerContext } from "../../platform/context.ts";
import { FolderStore } from "../../storage/d1/folder-store.ts";

/**
 * Throws `not_found` if the folder does not exist, `forbidden` if it belongs to another workspace;
 * null is the top level.
 */
export async function requireFolder(ctx: CallerContext, id: string | null): Promise<void> {
  if (id === null) {
    return;
  }
  const found = await new FolderStore(ctx.env, ctx.principal.workspaceId).find(id);
  if (found === "elsewhere") {
    throw new AppError("forbidden", `The folder ${id} belongs to another workspace.`);
  }
  if (found === undefined) {
    throw new AppError(
      "not_found",
      `There is no folder ${id}. GET /api/v1/workflow-folders lists the folders; null is the top level.`,
    );
  }
}
