import type { RunIndexRow } from "../../contracts/admission.ts";
import { AppError } from "../../lib/errors.ts";
import type { CallerContext } from "../../platform/context.ts";
import { type LoadedVersion, loadVersion } from "../workflows/load-version.ts";

/**
 * The version that a run without a run object would have run. Undefined when its workflow was
 * deleted since: the run stays readable without it (docs/contract/workflows.md#life).
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
