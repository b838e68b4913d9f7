import type { WorkspaceObjectApi } from "../../contracts/workspaces/admission.ts";
import type { Env } from "../../platform/env.ts";

/** The object that owns a workspace's runs, slots and money. One per workspace, named by its id. */
export function workspaceObject(
  ctx: { readonly env: Pick<Env, "WORKSPACE"> },
  workspaceId: string,
): WorkspaceObjectApi {
  return ctx.env.WORKSPACE.get(ctx.env.WORKSPACE.idFromName(workspaceId));
}
