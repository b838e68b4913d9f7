import type { SubmitExecution } from "../../contracts/execution-requests.ts";
import type { Estimate } from "../../contracts/estimate.ts";
import type { Plan } from "../../engine/plan/plan.ts";
import type { CountedNode } from "../../engine/plan/count-iterations.ts";
import { AppError } from "../../lib/errors.ts";
import type { JsonValue } from "../../lib/exact-json.ts";
import type { CallerContext } from "../../platform/context.ts";
import { tryParseId } from "../../platform/ids.ts";
import { workspaceObject } from "../../storage/objects/workspace-object.ts";
import { countFileRows } from "./count-file-rows.ts";
import { fetchPointer } from "./known-pointer.ts";
import { type PlannedAdmission, planAdmission } from "./plan-admission.ts";
import { prepareSubmit } from "./prepare-submit.ts";

const WARNINGS_MAX = 100;

export interface EstimateRequest {
  readonly workflowId: string;
  readonly body: Omit<SubmitExecution, "workflow"> & { readonly workflow?: string | undefined };
  /** The same body with keys and digits as they came. */
  readonly exactBody: JsonValue;
}

/**
 * What a submit of this body would cost. Runs nothing, charges nothing, and refuses what the submit
 * would refuse, except for want of credits: that is an answer. Throws `not_found` and the codes of
 * `prepareSubmit` and `planAdmission`.
 */
export async function estimateExecution(
  ctx: CallerContext,
  request: EstimateRequest,
): Promise<Estimate> {
  const { workflowId, body } = request;
  if (body.workflow !== undefined && tryParseId("workflow", body.workflow) !== workflowId) {
    const message = `The address names ${workflowId}. Leave workflow out, or send the same id.`;
    throw new AppError("validation_error", `workflow: ${message}`, {
      errors: [{ field: "workflow", message }],
    });
  }
  const pointer = await pointerOf(ctx, workflowId);
  const { loaded, plan, bound, limits } = await prepareSubmit(ctx, pointer, request);
  const fileRows = await countFileRows(ctx, loaded.plan, bound);
  const admission = planAdmission(loaded.plan, bound, limits, { fileRows });
  const { balance_milli_credits: balance } = await workspaceObject(
    ctx,
    ctx.principal.workspaceId,
  ).balance(plan.limits.max_credits_per_month * 1000);
  return toEstimate(loaded.plan, admission, balance);
}

/** Here the workflow is the resource of the address, so its absence is `not_found`. */
async function pointerOf(ctx: CallerContext, workflowId: string) {
  try {
    return await fetchPointer(ctx, workflowId);
  } catch (error) {
    throw error instanceof AppError && error.code === "workflow_not_found"
      ? new AppError("not_found", error.message)
      : error;
  }
}

function toEstimate(plan: Plan, admission: PlannedAdmission, balance: number): Estimate {
  const { count, liabilityMilliCredits: reserve } = admission;
  const perNode = plan.nodes.map((node) => {
    const counted = count.nodes[node.index] ?? UNKNOWN;
    const iterations = counted.fate === "never" ? 0 : counted.runsAtLeast;
    return {
      node_id: node.id,
      iterations,
      unit_milli_credits: node.costMilliCredits,
      milli_credits: iterations * node.costMilliCredits,
      is_exact: isExact(counted),
    };
  });
  const estimated = perNode.reduce((sum, node) => sum + node.milli_credits, 0);
  return {
    estimated_milli_credits: estimated,
    estimated_credits: estimated / 1000,
    is_exact: perNode.every((node) => node.is_exact || node.unit_milli_credits === 0),
    per_node: perNode,
    reserve_milli_credits: reserve,
    balance_milli_credits: balance,
    sufficient: balance >= Math.max(reserve, estimated),
    warnings: warningsOf(plan, count.nodes).slice(0, WARNINGS_MAX),
  };
}

const UNKNOWN: CountedNode = { runs: null, runsAtLeast: 0, fate: "maybe" };

function isExact({ runs, fate }: CountedNode): boolean {
  return fate === "never" || runs === 0 || (runs !== null && fate === "always");
}

function warningsOf(plan: Plan, nodes: readonly CountedNode[]): Estimate["warnings"] {
  return plan.nodes.flatMap((node): Estimate["warnings"] => {
    const counted = nodes[node.index] ?? UNKNOWN;
    if (node.costMilliCredits === 0 || isExact(counted)) {
      return [];
    }
    return [
      counted.runs === null
        ? {
            code: "RESOLVED_AT_RUN_TIME",
            node_id: node.id,
            message: `How often "${node.id}" runs is known only in the run; each fan-out that is not known yet counts as one element here. Bound it with admission_limits.`,
          }
        : {
            code: "MAY_NOT_RUN",
            node_id: node.id,
            message: `"${node.id}" stands behind a branch or a value that may be absent; it is counted as if it always ran.`,
          },
    ];
  });
}
