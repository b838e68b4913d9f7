import type { ZipStatus } from "../../contracts/runs/zip-export.ts";
import { AppError } from "../../lib/errors/errors.ts";
import type { CallerContext } from "../../platform/context.ts";
import { zipExportObject } from "../../storage/objects/zip-export-object.ts";
import { readExecution } from "../executions/read/read-execution.ts";
import { fileAddress } from "../files/file-address.ts";
import type { Execution } from "../../contracts/runs/run.ts";

/**
 * Begins the ZIP export of a run's outputs, unless there is one: `existed` if it is complete.
 * Throws `invalid_status` for a run that is not completed or partial_success
 * (docs/contract/exports.md#requests), `outputs_expired`, `not_found`, `forbidden`.
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

/**
 * The state of a run's export; `not_requested` if there is none. Throws `not_found`, `forbidden`.
 */
export async function readZipStatus(ctx: CallerContext, runId: string): Promise<ZipStatus> {
  const workspaceId = ctx.principal.workspaceId;
  const status = await zipExportObject(ctx, runId).status({ v: 1, workspace_id: workspaceId });
  if (status !== null) {
    return status;
  }
  // Rejects a run of another workspace.
  await readExecution(ctx, runId);
  return {
    status: "not_requested",
    progress_percent: 0,
    total_outputs: 0,
    total_size_bytes: 0,
    completed_at: null,
    error_message: null,
    zips: [],
  };
}

/** The address of a finished archive. Throws `outputs_expired`, `not_found`, `forbidden`. */
export async function zipDownload(
  ctx: CallerContext,
  runId: string,
  zipId: number,
): Promise<string> {
  const { status } = await readZipStatus(ctx, runId);
  const key = await zipExportObject(ctx, runId).archiveKey({
    v: 1,
    workspace_id: ctx.principal.workspaceId,
    zip_id: zipId,
  });
  if (key === null) {
    requireOutputs(await readExecution(ctx, runId));
    throw new AppError(
      "not_found",
      `The export of ${runId} is ${status} and does not have archive ${String(zipId)} to download. Request it with POST /api/v1/executions/{id}/zip and take zip_id from its status.`,
    );
  }
  return fileAddress(ctx, key).url;
}

/** Throws `outputs_expired` for a run whose outputs have been deleted by retention. */
function requireOutputs({ id, outputs_expired_at: at }: Execution): void {
  if (at !== undefined) {
    throw new AppError(
      "outputs_expired",
      `The outputs of ${id} expired at ${at} and were deleted. Submit the workflow again to create them again.`,
    );
  }
}
