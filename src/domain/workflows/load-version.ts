import type { Definition } from "../../contracts/definition.ts";
import { compile } from "../../engine/compile/compile.ts";
import type { Plan } from "../../engine/plan/plan.ts";
import { parseDefinition } from "../../contracts/parse-definition.ts";
import { AppError } from "../../lib/errors.ts";
import { findNodeType } from "../../nodes/registry.ts";
import type { CallerContext } from "../../platform/context.ts";
import { WorkflowStore } from "../../storage/d1/workflow-store.ts";
import { CACHE_LIMITS } from "../cache-limits.ts";
import { VersionCache } from "./version-cache.ts";

export interface LoadedVersion {
  readonly definition: Definition;
  /** The text as published: its number tokens are the author's. */
  readonly definition_json: string;
  readonly plan: Plan;
}

/** Versions are immutable, so an isolate keeps them until it needs the room. */
const cache = new VersionCache<LoadedVersion>(CACHE_LIMITS.definitions.charsMax);

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
  const key = `${ctx.principal.workspaceId}/${workflowId}/${version}`;
  const known = cache.get(key);
  if (known !== undefined) {
    return known;
  }
  const store = new WorkflowStore(ctx.env, ctx.principal.workspaceId);
  const text = await store.readVersion(workflowId, version);
  if (text === undefined) {
    throw new AppError(
      "version_not_available",
      `The definition of version ${version} of ${workflowId} is not available. Use another version: GET /api/v1/workflows/${workflowId}/versions lists them.`,
    );
  }
  const definition = parseDefinition(text);
  const { plan, issues } = compile(definition, findNodeType);
  if (plan === undefined) {
    throw new AppError(
      "version_not_available",
      `Version ${version} of ${workflowId} no longer compiles: ${issues[0]?.message ?? ""} Publish a new version.`,
    );
  }
  const loaded = { definition, definition_json: text, plan };
  cache.set(key, loaded, text.length + CACHE_LIMITS.definitions.each);
  return loaded;
}
