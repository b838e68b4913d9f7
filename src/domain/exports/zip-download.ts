import { AppError } from "../../lib/errors.ts";
import type { CallerContext } from "../../platform/context.ts";
import { zipExportObject } from "../../storage/objects/zip-export-object.ts";
import { fileAddress } from "../files/file-address.ts";
import { readExecution } from "../executions/read/read-execution.ts";
import { readZipStatus } from "./read-zip-status.ts";
import { requireOutputs } from "./require-outputs.ts";

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
      `The export of ${runId} is ${status} and has no archive ${String(zipId)} to download. Request it with POST /api/v1/executions/{id}/zip and take zip_id from its status.`,
    );
  }
  return fileAddress(ctx, key).url;
}
