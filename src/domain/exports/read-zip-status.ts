import type { ZipStatus } from "../../contracts/zip-export.ts";
import type { CallerContext } from "../../platform/context.ts";
import { zipExportObject } from "../../storage/objects/zip-export-object.ts";
import { readExecution } from "../executions/read/read-execution.ts";

/** Where a run's export stands; `not_requested` when nobody asked. Throws `not_found`, `forbidden`. */
export async function readZipStatus(ctx: CallerContext, runId: string): Promise<ZipStatus> {
  const workspaceId = ctx.principal.workspaceId;
  const status = await zipExportObject(ctx, runId).status({ v: 1, workspace_id: workspaceId });
  if (status !== null) {
    return status;
  }
  // Refuses a run that is none of this workspace's.
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
