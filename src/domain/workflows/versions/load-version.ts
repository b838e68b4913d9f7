import { AppError } from "../../../lib/errors.ts";
import type { CallerContext } from "../../../platform/context.ts";
import { WorkflowVersions } from "../../../storage/d1/workflow-versions.ts";
import {
  type CompiledVersion,
  compileVersion,
  knownVersion,
  type VersionKey,
} from "./compiled-versions.ts";
import { parseDefinition } from "../../../contracts/parse-definition.ts";
import type { ResolveReferences } from "../../../contracts/references.ts";
import { References, referencesIn } from "../../../engine/compile/references.ts";
import { findNodeType } from "../../../nodes/registry.ts";
import { resolverOf } from "../../references/resolve-references.ts";

export type LoadedVersion = CompiledVersion;

/**
 * A published version with its plan, compiled once per isolate. The caller has checked that the
 * workflow belongs to the workspace and that the version is in range. Throws
 * `version_not_available` if the definition is missing or uses removed node types.
 */
export async function loadVersion(
  ctx: Pick<CallerContext, "env" | "principal">,
  workflowId: string,
  version: number,
  resolve: ResolveReferences = resolverOf(ctx),
): Promise<LoadedVersion> {
  const { workspaceId } = ctx.principal;
  const key = { workspaceId, workflowId, version };
  const known = knownVersion(key);
  if (known !== undefined && known.needed.length === 0) {
    return known;
  }
  if (known !== undefined) {
    const now = new References(await resolve(known.needed));
    return known.references.agreesOn(known.needed, now)
      ? known
      : compiledOrThrow(key, known.definition_json, now);
  }
  const text = await new WorkflowVersions(ctx.env, workspaceId).read(workflowId, version);
  if (text === undefined) {
    throw new AppError(
      "version_not_available",
      `The definition of version ${version} of ${workflowId} is not available. Use another version: GET /api/v1/workflows/${workflowId}/versions lists them.`,
    );
  }
  const needed = referencesIn(parseDefinition(text), findNodeType);
  return compiledOrThrow(
    key,
    text,
    new References(needed.length === 0 ? [] : await resolve(needed)),
  );
}

function compiledOrThrow(key: VersionKey, text: string, references: References): LoadedVersion {
  const compiled = compileVersion(key, text, references);
  if ("issues" in compiled) {
    throw new AppError(
      "version_not_available",
      `Version ${key.version} of ${key.workflowId} no longer compiles: ${compiled.issues[0]?.message ?? ""} Publish a new version.`,
    );
  }
  return compiled.version;
}
