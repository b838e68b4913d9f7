import type { RunFile } from "../../contracts/runs/run-object-api.ts";
import type { AppContext } from "../../platform/context.ts";
import type { HeldFilePlace } from "../../platform/file-url.ts";
import { runObject } from "../../storage/objects/run-object.ts";

/** The file of a run object at one of its addresses; undefined if there is none. */
export async function readHeldFile(
  ctx: Pick<AppContext, "env">,
  { workspaceId, runId, token, node, element, name }: HeldFilePlace,
): Promise<RunFile | undefined> {
  const request = { v: 1, workspace_id: workspaceId, token, node, ord: element, name } as const;
  const result = await runObject(ctx, runId).readFile(request);
  return result.ok ? result.value : undefined;
}
