import { AppError } from "../../../lib/errors.ts";
import type { CallerContext } from "../../../platform/context.ts";
import { WorkflowStore } from "../../../storage/d1/workflow-store.ts";
import { type CompiledVersion, compileVersion, knownVersion } from "./compiled-versions.ts";

export type LoadedVersion = CompiledVersion;

/**
 * A published version with its plan, compiled once an isolate. The caller has checked that the
 * workflow is the workspace's and that the version is in range.
 * Throws `version_not_available` when the definition is gone or uses what no longer exists.
 */
export async function loadVersion(
  ctx: Pick<CallerContext, "env" | "principal">,
  workflowId: string,
  version: number,
): Promise<LoadedVersion> {
  const { workspaceId } = ctx.principal;
  const key = { workspaceId, workflowId, version };
  const known = knownVersion(key);
  if (known !== undefined) {
    return known;
  }
  const store = new WorkflowStore(ctx.env, workspaceId);
  const text = await store.readVersion(workflowId, version);
  if (text === undefined) {
    throw new AppError(
      "version_not_available",
      `The definition of version ${version} of ${workflowId} is not available. Use another version: GET /api/v1/workflows/${workflowId}/versions lists them.`,
    );
  }
  const compiled = compileVersion(key, text);
  if ("issues" in compiled) {
    throw new AppError(
      "version_not_available",
      `Version ${version} of ${workflowId} no longer compiles: ${compiled.issues[0]?.message ?? ""} Publish a new version.`,
    );
  }
  return compiled.version;
}
