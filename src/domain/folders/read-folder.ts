import type { WorkflowFolder } from "../../contracts/workflow-folder.ts";
import { AppError } from "../../lib/errors.ts";
import type { CallerContext } from "../../platform/context.ts";
import { listFolders } from "./list-folders.ts";

/** One folder with its path and counts. Throws `not_found`. */
export async function readFolder(ctx: CallerContext, id: string): Promise<WorkflowFolder> {
  const { data } = await listFolders(ctx);
  const folder = data.find((one) => one.id === id);
  if (folder === undefined) {
    throw new AppError("not_found", `There is no folder ${id} any more.`);
  }
  return folder;
}
