import type { RunReadRequest } from "../../contracts/runs/run-object-api.ts";
import type { CallerContext } from "../../platform/context.ts";

/** Who asks for a run, for its object: the workspace, and the embed token where one asks. */
export function runCaller(
  ctx: Pick<CallerContext, "principal" | "baseUrl">,
): Pick<RunReadRequest, "v" | "workspace_id" | "base_url" | "embed"> {
  const { workspaceId, embedViewer } = ctx.principal;
  return {
    v: 1,
    workspace_id: workspaceId,
    base_url: ctx.baseUrl,
    ...(embedViewer !== undefined && { embed: embedViewer }),
  };
}
