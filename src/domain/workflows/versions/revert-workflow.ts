import type { WorkflowDetail } from "../../../contracts/workflows/workflow.ts";
import { AppError } from "../../../lib/errors/errors.ts";
import type { CallerContext } from "../../../platform/context.ts";
import { WorkflowStore } from "../../../storage/d1/workflow-store.ts";
import { WorkflowVersions } from "../../../storage/d1/workflow-versions.ts";
import { changeStatus } from "../change-status.ts";
import { describeWorkflow } from "../describe-workflow.ts";
import { parseVersion } from "./parse-version.ts";

/**
 * Makes a workflow a draft again: versions stay, live runs continue, submits are rejected. With
 * `toVersion`, that version's definition also becomes the working one. Throws `invalid_state`
 * (archived), `invalid_version`, `version_not_available`.
 */
export async function revertWorkflow(
  ctx: CallerContext,
  id: string,
  toVersion: number | undefined,
): Promise<WorkflowDetail> {
  const store = new WorkflowStore(ctx.env, ctx.principal.workspaceId);
  const versions = new WorkflowVersions(ctx.env, ctx.principal.workspaceId);
  const row = await changeStatus(ctx, id, async (found) => {
    if (found.status === "archived") {
      throw new AppError(
        "invalid_state",
        `The workflow ${id} is archived and cannot be reverted. POST /api/v1/workflows/${id}/clone makes a draft of it.`,
      );
    }
    if (toVersion === undefined) {
      return found.status === "draft" || (await store.setStatus(id, found, "draft", ctx.nowMs()));
    }
    const version = parseVersion(found, String(toVersion));
    if ((await versions.read(id, version)) === undefined) {
      throw new AppError(
        "version_not_available",
        `The definition of version ${version} of ${id} is not available, so it cannot be restored.`,
      );
    }
    return await store.restoreVersion(id, found, version, ctx.nowMs());
  });
  return await describeWorkflow(ctx, row);
}
