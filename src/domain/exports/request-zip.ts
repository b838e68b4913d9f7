import type { ZipStatus } from "../../contracts/zip-export.ts";
import { AppError } from "../../lib/errors.ts";
import type { CallerContext } from "../../platform/context.ts";
import { zipExportObject } from "../../storage/objects/zip-export-object.ts";
import { readExecution } from "../executions/read/read-execution.ts";
import { requireOutputs } from "./require-outputs.ts";

/**
 * Begins the ZIP export of a run's outputs, unless there is one: `existed` when it is complete.
 * Throws `invalid_status` for a run that is not completed or partial_success (docs/contract/exports.md#requests),
 * `outputs_expired`, `not_found`, `forbidden`.
 */
export async function requestZip(
  ctx: CallerContext,
  runId: string,
): Promise<{ readonly existed: boolean; readonly status: ZipStatus }> {
  const run = await readExecution(ctx, runId);
  if (run.status !== "completed" && run.status !== "partial_success") {
    throw new AppError(
      "invalid_status",
      `The execution ${runId} is ${run.status}; only a run that is completed or partial_success can be exported. ${
        run.completed_at === null ? "Poll it until it has ended." : "Submit it again."
      }`,
    );
  }
  requireOutputs(run);
  return await zipExportObject(ctx, runId).request({
    v: 1,
    run_id: runId,
    workspace_id: ctx.principal.workspaceId,
    workflow_name: run.workflow_name,
    run_completed_at_ms: Date.parse(run.completed_at ?? run.created_at),
  });
}
