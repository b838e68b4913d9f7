import type { Definition } from "../../contracts/workflows/definition.ts";
import type { WorkflowDetail } from "../../contracts/workflows/workflow.ts";
import type { Plan } from "../../engine/plan/plan.ts";
import { AppError } from "../../lib/errors/errors.ts";
import { parseJson } from "../../lib/json/exact-json.ts";
import { findNodeType } from "../../nodes/registry.ts";
import type { CallerContext } from "../../platform/context.ts";
import type { WorkflowRow } from "../../storage/d1/workflow-row.ts";
import { WorkflowStore } from "../../storage/d1/workflow-store.ts";
import { buildContract } from "./contract/build-contract.ts";
import { buildInterface, describeInterface } from "./contract/describe-interface.ts";
import { checkWithReferences } from "./definition/check-definition.ts";
import { partsOfDraft, partsOfPlan } from "./contract/interface-parts.ts";
import { newestAssets } from "./contract/newest-assets.ts";
import { loadVersion } from "./versions/load-version.ts";
import { withWorkingPins } from "../templates/workflow-pins.ts";
import { resolverOf } from "../references/resolve-references.ts";
import { workflowItem } from "./workflow-item.ts";

interface Shown {
  readonly definition: Definition;
  readonly plan: Plan | undefined;
}

/**
 * The detail of a workflow: with the interface of the requested version, else of the latest
 * published one, else (while `version` is 0) of the working definition
 * (docs/contract/workflows.md#life). Throws `version_not_available` if the requested version's
 * definition is missing.
 */
export async function describeWorkflow(
  ctx: CallerContext,
  row: WorkflowRow,
  askedVersion?: number,
): Promise<WorkflowDetail> {
  const version = askedVersion ?? row.version;
  const item = { ...workflowItem(row), version };
  const shown = version === 0 ? await working(ctx, row) : await published(ctx, row, askedVersion);
  if (shown === undefined) {
    return { ...item, interface: { inputs: [], outputs: [] }, execution_contract: null };
  }
  const { definition, plan } = shown;
  const parts = plan === undefined ? partsOfDraft(definition, findNodeType) : partsOfPlan(plan);
  return {
    ...item,
    interface: buildInterface(parts),
    ...(definition.interfaces.length === 0
      ? {}
      : { interfaces: definition.interfaces.map((entry) => describeInterface(entry, parts)) }),
    execution_contract:
      plan === undefined
        ? null
        : buildContract({
            workflowId: row.id,
            pinnedVersion: version === row.version ? undefined : version,
            definition,
            plan,
            newestAssets: await newestAssets(ctx, partsOfPlan(plan).inputs),
          }),
  };
}

async function working(ctx: CallerContext, row: WorkflowRow): Promise<Shown | undefined> {
  const found = await new WorkflowStore(ctx.env, ctx.principal.workspaceId).readWorking(row.id);
  if (found === undefined) {
    return undefined;
  }
  const resolve = resolverOf(withWorkingPins(ctx, row.id, found.templatePins));
  const { definition, plan } = await checkWithReferences(parseJson(found.text), resolve);
  return definition === undefined ? undefined : { definition, plan };
}

async function published(
  ctx: CallerContext,
  row: WorkflowRow,
  askedVersion: number | undefined,
): Promise<Shown | undefined> {
  try {
    return await loadVersion(ctx, row.id, askedVersion ?? row.version);
  } catch (error) {
    // A request without a version still returns the workflow, so that it can be published again.
    if (
      askedVersion === undefined &&
      error instanceof AppError &&
      error.code === "version_not_available"
    ) {
      return undefined;
    }
    throw error;
  }
}
