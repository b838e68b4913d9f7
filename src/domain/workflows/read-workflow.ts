import type { WorkflowDetail } from "../../contracts/workflows/workflow.ts";
import type { CallerContext } from "../../platform/context.ts";
import { describeWorkflow } from "./describe-workflow.ts";
import { parseVersion } from "./versions/parse-version.ts";
import { requireWorkflow } from "./require-workflow.ts";
import { repairPointers } from "./sync-workflow-pointer.ts";

/**
 * The detail of a workflow with any status. `version` is the caller's text. Throws `not_found`,
 * `forbidden`, `invalid_version` (with the valid range), `version_not_available`.
 */
export async function readWorkflow(
  ctx: CallerContext,
  id: string,
  version?: string,
): Promise<WorkflowDetail> {
  const row = await requireWorkflow(ctx, id);
  repairPointers(ctx, [row]);
  return await describeWorkflow(
    ctx,
    row,
    version === undefined ? undefined : parseVersion(row, version),
  );
}
