import type { RunIndexRow } from "../../../contracts/workspaces/admission.ts";
import { AppError } from "../../../lib/errors/errors.ts";
import type { Failure } from "../../../lib/result.ts";
import type { CallerContext } from "../../../platform/context.ts";
import { workspaceObject } from "../../../storage/objects/workspace-object.ts";
import { type LoadedVersion, loadVersion } from "../../workflows/versions/load-version.ts";

/**
 * Finds a run that its run object does not have: one just admitted, or one that was rejected for
 * lack of credits. Throws the run object's error if the workspace does not have the run either.
 */
export async function findIndexedRun(
  ctx: CallerContext,
  runId: string,
  failure: Failure,
): Promise<RunIndexRow> {
  if (failure.code === "not_found") {
    const row = await workspaceObject(ctx, ctx.principal.workspaceId).getRun(runId);
    if (row !== null && isVisible(ctx, row)) {
      return row;
    }
    throw new AppError(
      "not_found",
      `There is no execution ${runId}. GET /api/v1/executions lists the executions of this workspace.`,
    );
  }
  const { ok: _ok, code, message, ...options } = failure;
  throw new AppError(code, message, options);
}

/** The index does not know the key of an embed's run: until the run object has it, only the token itself sees it. */
function isVisible({ principal }: CallerContext, row: RunIndexRow): boolean {
  return principal.embedViewer === undefined || row.embed === principal.embedViewer.token;
}

/**
 * The version that a run without a run object would have run. Undefined if its workflow has been
 * deleted: the run stays readable without it (docs/contract/workflows.md#life).
 */
export async function loadRunVersion(
  ctx: CallerContext,
  row: RunIndexRow,
): Promise<LoadedVersion | undefined> {
  try {
    return await loadVersion(ctx, row.workflow_id, row.workflow_version);
  } catch (error) {
    if (error instanceof AppError && error.code === "version_not_available") {
      return undefined;
    }
    throw error;
  }
}
