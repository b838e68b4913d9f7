import { AppError } from "../../../lib/errors/errors.ts";
import type { CallerContext } from "../../../platform/context.ts";
import { WorkflowVersions } from "../../../storage/d1/workflow-versions.ts";
import {
  type CompiledVersion,
  compileVersion,
  knownVersion,
  type VersionKey,
} from "./compiled-versions.ts";
import type { IssueCode } from "../../../contracts/workflows/definition-issue.ts";
import type { DefinitionIssue } from "../../../engine/plan/plan.ts";
import { parseDefinition } from "../../../contracts/workflows/parse-definition.ts";
import type { ResolveReferences } from "../../../contracts/references.ts";
import { References, referencesIn } from "../../../engine/compile/references.ts";
import { findNodeType } from "../../../nodes/registry.ts";
import type { ReferenceContext } from "../../references/reference-context.ts";
import { resolverOf } from "../../references/resolve-references.ts";
import { withVersionPins } from "../../templates/workflow-pins.ts";

export type LoadedVersion = CompiledVersion;

const OF_MODELS: ReadonlySet<IssueCode> = new Set<IssueCode>([
  "INVALID_MODEL_PARAMETER",
  "MODEL_NOT_AVAILABLE",
  "MODEL_NOT_SUPPORTED",
]);

/** Why a version does not compile now, if the reasons are models only: the operator can provide them again. */
export class ModelIssues extends Error {
  override readonly name = "ModelIssues";
  readonly issues: readonly DefinitionIssue[];

  constructor(issues: readonly DefinitionIssue[]) {
    super(issues[0]?.message);
    this.issues = issues;
  }
}

/**
 * A published version with its plan, compiled once per isolate. The caller has checked that the
 * workflow belongs to the workspace and that the version is in range. Throws
 * `version_not_available` if the definition is missing or uses removed node types.
 */
export async function loadVersion(
  ctx: Pick<CallerContext, "env" | "principal" | "nowMs" | "waitUntil">,
  workflowId: string,
  version: number,
  resolver: (ctx: ReferenceContext) => ResolveReferences = resolverOf,
): Promise<LoadedVersion> {
  const { workspaceId } = ctx.principal;
  const key = { workspaceId, workflowId, version };
  const known = knownVersion(key);
  if (known !== undefined && known.needed.length === 0) {
    return known;
  }
  if (known?.templatePins !== undefined) {
    const resolve = resolver(withVersionPins(ctx, known.templatePins));
    const now = new References(await resolve(known.needed));
    return known.references.agreesOn(known.needed, now)
      ? known
      : compiledOrThrow(key, { ...known, text: known.definition_json }, now);
  }
  const versions = new WorkflowVersions(ctx.env, workspaceId);
  const stored = await versions.readShared(workflowId, version, (copied) => ctx.waitUntil(copied));
  if (stored === undefined) {
    throw new AppError(
      "version_not_available",
      `The definition of version ${version} of ${workflowId} is not available. Use another version: GET /api/v1/workflows/${workflowId}/versions lists them.`,
    );
  }
  const needed = referencesIn(parseDefinition(stored.text), findNodeType);
  const resolve = resolver(withVersionPins(ctx, stored.templatePins));
  return compiledOrThrow(
    key,
    stored,
    new References(needed.length === 0 ? [] : await resolve(needed)),
  );
}

function compiledOrThrow(
  key: VersionKey,
  { text, templatePins }: { text: string; templatePins: string | null | undefined },
  references: References,
): LoadedVersion {
  const compiled = compileVersion(key, text, references, findNodeType, templatePins);
  if ("issues" in compiled) {
    const { issues } = compiled;
    throw new AppError(
      "version_not_available",
      `Version ${key.version} of ${key.workflowId} no longer compiles: ${issues[0]?.message ?? ""} Publish a new version.`,
      issues.every(({ code }) => OF_MODELS.has(code)) ? { cause: new ModelIssues(issues) } : {},
    );
  }
  return compiled.version;
}
