import type { Execution } from "../../contracts/run.ts";
import type { CallerContext } from "../../platform/context.ts";
import { runObject } from "../../storage/objects/run-object.ts";
import { executionFromIndex } from "./execution-from-index.ts";
import { findIndexedRun } from "./find-indexed-run.ts";

/** A run as it stands. Throws `not_found`, and `forbidden` for another workspace's. */
export async function readExecution(ctx: CallerContext, runId: string): Promise<Execution> {
  const result = await runObject(ctx, runId).read({
    v: 1,
    workspace_id: ctx.principal.workspaceId,
    base_url: ctx.baseUrl,
  });
  if (result.ok) {
    return result.value;
  }
  const row = await findIndexedRun(ctx, runId, result);
  return { ...executionFromIndex(row), outputs_total: 0 };
}
