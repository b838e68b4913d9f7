import type { SubmitExecution } from "../../../contracts/runs/execution-requests.ts";
import type { Estimate } from "../../../contracts/runs/estimate.ts";
import type { AdmissionLimits } from "../../../contracts/runs/run.ts";
import type { Plan, PlanNode } from "../../../engine/plan/plan.ts";
import type { CacheOptions } from "../../../contracts/runs/cache-options.ts";
import { cacheUse } from "../../../engine/reuse/cache-mode.ts";
import { pricedPlan } from "../../../engine/plan/node-cost.ts";
import type { CountedNode, IterationCount } from "../../../engine/plan/count-iterations.ts";
import { ITERATIONS_MAX, iterationsMax } from "../../../engine/step/step.ts";
import { AppError } from "../../../lib/errors/errors.ts";
import type { JsonValue } from "../../../lib/json/exact-json.ts";
import type { CallerContext } from "../../../platform/context.ts";
import { tryParseId } from "../../../platform/ids.ts";
import { workspaceObject } from "../../../storage/objects/workspace-object.ts";
import { type CountedFiles, countFileRows } from "./count-file-rows.ts";
import { fetchPointer } from "../submit/known-pointer.ts";
import { countForEstimate } from "./compute-admission.ts";
import { prepareSubmit } from "../submit/prepare-submit.ts";

const WARNINGS_MAX = 100;

export interface EstimateRequest {
  readonly workflowId: string;
  readonly body: Omit<SubmitExecution, "workflow"> & { readonly workflow?: string | undefined };
  /** The same body with its original keys and digits. */
  readonly exactBody: JsonValue;
}

/**
 * The cost of a submit with this body. Runs nothing, charges nothing, and rejects what the submit
 * would reject, except for exceeded bounds and insufficient credits, which the estimate reports.
 * Throws `not_found` and the codes of `prepareSubmit`.
 */
export async function estimateExecution(
  ctx: CallerContext,
  request: EstimateRequest,
): Promise<Estimate> {
  const { workflowId, body } = request;
  if (body.workflow !== undefined && tryParseId("workflow", body.workflow) !== workflowId) {
    const message = `The address refers to ${workflowId}. Omit workflow, or send the same id.`;
    throw new AppError("validation_error", `workflow: ${message}`, {
      errors: [{ field: "workflow", message }],
    });
  }
  const pointer = await pointerOf(ctx, workflowId);
  const { loaded, billingPlan, bound, limits, references } = await prepareSubmit(
    ctx,
    pointer,
    request,
  );
  const files = await countFileRows(ctx, loaded.plan, bound);
  const count = countForEstimate(loaded.plan, bound, files.rows);
  const { balance_milli_credits: balance } = await workspaceObject(
    ctx,
    ctx.principal.workspaceId,
  ).balance(billingPlan.limits.max_credits_per_month * 1000);
  const priced = pricedPlan(loaded.plan, bound.parameter_overrides, references);
  return toEstimate(cachedPlan(priced, body.cache), count, {
    limits,
    balance,
    lacking: files.lacking,
  });
}

/** Here the workflow is the resource of the address, so a missing one is `not_found`. */
async function pointerOf(ctx: CallerContext, workflowId: string) {
  try {
    return await fetchPointer(ctx, workflowId);
  } catch (error) {
    throw error instanceof AppError && error.code === "workflow_not_found"
      ? new AppError("not_found", error.message)
      : error;
  }
}

interface Known {
  readonly limits: AdmissionLimits;
  /** In milli-credits. */
  readonly balance: number;
  readonly lacking: CountedFiles["lacking"];
}

/** The plan under the cache options of a run: elements of a node that uses the cache may cost nothing. */
export function cachedPlan(plan: Plan, options: CacheOptions | undefined): Plan {
  const mayHit = (node: PlanNode) => cacheUse(node.type.type, node.cache, options) !== undefined;
  return plan.nodes.some(mayHit)
    ? {
        ...plan,
        nodes: plan.nodes.map((node) => (mayHit(node) ? { ...node, isCostCeiling: true } : node)),
      }
    : plan;
}

/** What the nodes of a run without failures are charged, in milli-credits, and whether that is exact. */
export function estimateNodes(plan: Plan, nodes: readonly CountedNode[]) {
  const perNode = plan.nodes.map((node) => {
    const counted = nodes[node.index] ?? UNKNOWN;
    const iterations = counted.presence === "never" ? 0 : counted.runsAtLeast;
    return {
      node_id: node.id,
      iterations,
      unit: node.costUnit,
      unit_milli_credits: node.costMilliCredits,
      milli_credits: iterations * node.costMilliCredits,
      is_exact: isExact(counted) && !node.isCostCeiling,
    };
  });
  return {
    perNode,
    milliCredits: perNode.reduce((sum, node) => sum + node.milli_credits, 0),
    isExact: perNode.every((node) => node.is_exact || node.unit_milli_credits === 0),
  };
}

function toEstimate(plan: Plan, count: IterationCount, known: Known): Estimate {
  const { balance } = known;
  const { perNode, milliCredits: estimated, ...all } = estimateNodes(plan, count.nodes);
  const reserve = liabilities(plan, count).at(-1)?.milliCredits ?? 0;
  const failures = [
    ...known.lacking.map(({ nodeId, message }) => ({
      code: "COLUMN_NOT_FOUND" as const,
      node_id: nodeId,
      message,
    })),
    ...boundWarnings(plan, count, known, Math.max(reserve, estimated)),
  ];
  return {
    estimated_milli_credits: estimated,
    estimated_credits: estimated / 1000,
    is_exact: known.lacking.length === 0 && all.isExact,
    will_fail: failures.length > 0,
    per_node: perNode,
    reserve_milli_credits: reserve,
    balance_milli_credits: balance,
    sufficient: balance >= Math.max(reserve, estimated),
    warnings: [...failures, ...warningsOf(plan, count.nodes)].slice(0, WARNINGS_MAX),
  };
}

/**
 * The reservation after each paid node with a known count has been planned, in the order of the
 * plan.
 */
function liabilities(
  plan: Plan,
  count: IterationCount,
): readonly { readonly nodeId: string; readonly milliCredits: number }[] {
  let sum = 0;
  return plan.nodes.flatMap((node) => {
    const { runs = null, presence = "maybe" } = count.nodes[node.index] ?? {};
    if (runs === null || node.costMilliCredits === 0) {
      return [];
    }
    // Nodes that do not run because of an absent input cost nothing.
    sum += presence === "never" ? 0 : runs * node.costMilliCredits;
    return [{ nodeId: node.id, milliCredits: sum }];
  });
}

/** Bounds that this submit is known to exceed, each with its value and the bound. */
function boundWarnings(
  plan: Plan,
  count: IterationCount,
  { limits, balance }: Known,
  needed: number,
): Estimate["warnings"] {
  const iterationLimit = iterationsMax(limits);
  const planned = liabilities(plan, count);
  const warnings: Estimate["warnings"] = plan.nodes.flatMap((node) => {
    const { iterations = null, presence = "maybe" } = count.nodes[node.index] ?? {};
    return iterations !== null && presence !== "never" && iterations > iterationLimit
      ? [
          {
            code: "ITERATION_LIMIT_EXCEEDED",
            node_id: node.id,
            iterations,
            limit: iterationLimit,
            message: `Node "${node.id}" would have ${iterations} iterations, and at most ${iterationLimit} are allowed. Send fewer items${iterationLimit < ITERATIONS_MAX ? ", or raise max_iterations_per_node" : ", or split the run"}.`,
          },
        ]
      : [];
  });
  const max = limits.max_admitted_milli_credits;
  const over = max === undefined ? undefined : planned.find((entry) => entry.milliCredits > max);
  if (over !== undefined && max !== undefined) {
    warnings.push({
      code: "ADMISSION_LIMIT_EXCEEDED",
      node_id: over.nodeId,
      milli_credits: over.milliCredits,
      limit: max,
      message: `Node "${over.nodeId}" brings the run's liability to ${over.milliCredits} milli-credits, and max_admitted_milli_credits is ${max}. Send fewer items, or raise the bound.`,
    });
  }
  if (needed > balance) {
    const first = planned.find((entry) => entry.milliCredits > balance);
    warnings.push({
      code: "INSUFFICIENT_CREDITS",
      ...(first === undefined ? {} : { node_id: first.nodeId }),
      milli_credits: needed,
      limit: balance,
      message: `The run may cost ${needed} milli-credits, and the balance is ${balance}. Lower its iterations, or add credits.`,
    });
  }
  return warnings;
}

const UNKNOWN: CountedNode = { runs: null, iterations: null, runsAtLeast: 0, presence: "maybe" };

function isExact({ runs, presence }: CountedNode): boolean {
  return presence === "never" || runs === 0 || (runs !== null && presence === "always");
}

/** Why the charge of a run is not exact. */
export function warningsOf(plan: Plan, nodes: readonly CountedNode[]): Estimate["warnings"] {
  return plan.nodes.flatMap((node): Estimate["warnings"] => {
    const counted = nodes[node.index] ?? UNKNOWN;
    if (node.costMilliCredits === 0) {
      return [];
    }
    const ceiling = {
      code: "COST_IS_A_CEILING" as const,
      node_id: node.id,
      message: `"${node.id}" is charged by its usage, and nothing for what it takes from the result cache, which is known only after it has run. The estimate counts its maximum charge.`,
    };
    const warnings = node.isCostCeiling && counted.presence !== "never" ? [ceiling] : [];
    if (isExact(counted)) {
      return warnings;
    }
    return [
      ...warnings,
      counted.runs === null
        ? {
            code: "RESOLVED_AT_RUN_TIME",
            node_id: node.id,
            message: `How often "${node.id}" runs is known only during the run. Each unknown fan-out counts as one element here. Limit it with admission_limits.`,
          }
        : {
            code: "MAY_NOT_RUN",
            node_id: node.id,
            message: `"${node.id}" depends on a branch or on a value that may be absent. It is counted as if it always ran.`,
          },
    ];
  });
}
