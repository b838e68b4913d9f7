import type { AdmissionLimits, RunStart } from "../../../contracts/runs/run.ts";
import { countIterations, type IterationCount } from "../../../engine/plan/count-iterations.ts";
import { pricedPlan } from "../../../engine/plan/node-cost.ts";
import type { Plan } from "../../../engine/plan/plan.ts";
import { ITERATIONS_MAX, iterationsMax } from "../../../engine/step/step.ts";
import { AppError } from "../../../lib/errors/errors.ts";
import type { BoundInputs } from "../submit/bind-inputs.ts";
import { NO_REFERENCES, type References } from "../../../engine/compile/references.ts";

export interface ComputedAdmission {
  readonly count: IterationCount;
  /**
   * Worst-case cost of every node whose count is known, in milli-credits: the amount that admission
   * reserves.
   */
  readonly liabilityMilliCredits: number;
  /** The most that the run can cost: nodes whose count is unknown run as often as their limit allows. */
  readonly worstMilliCredits: number;
  readonly prepaid: RunStart["prepaid"];
  readonly unit_costs: NonNullable<RunStart["unit_costs"]>;
}

type Bound = Pick<BoundInputs, "inputs" | "input_files" | "parameter_overrides">;

function countRequest(bound: Bound) {
  return {
    submitted: new Map(bound.inputs.map(({ node_id, value_json }) => [node_id, value_json])),
    filed: new Set(bound.input_files?.map(({ node_id }) => node_id)),
    overridden: new Set(bound.parameter_overrides.map(({ node_id }) => node_id)),
  };
}

/**
 * What a submit would run, ignoring its bounds, for an estimate: ports with values, and the numbers
 * of rows in files (by input node).
 */
export function countForEstimate(
  plan: Plan,
  bound: Bound,
  fileRows: ReadonlyMap<string, number>,
): IterationCount {
  return countIterations(plan, {
    ...countRequest(bound),
    iterationsMax: Number.POSITIVE_INFINITY,
    wantsPresence: true,
    fileRows,
  });
}

/**
 * The iterations and costs of a submit that are known before the run exists. Throws
 * `validation_error`, with the bound and the node, if a known plan exceeds a bound or the ceiling.
 */
export function computeAdmission(
  plan: Plan,
  bound: Bound,
  limits: AdmissionLimits,
  references: References = NO_REFERENCES,
): ComputedAdmission {
  const count = countIterations(plan, {
    ...countRequest(bound),
    iterationsMax: iterationsMax(limits),
    wantsPresence: false,
  });
  if (count.tooMany !== null) {
    throw tooManyIterations(count.tooMany, limits);
  }
  const prepaid: { node_id: string; iterations: number }[] = [];
  let liability = 0;
  let worst = 0;
  const priced = pricedPlan(plan, bound.parameter_overrides, references);
  const max = limits.max_admitted_milli_credits;
  for (const node of priced.nodes) {
    const { runs = null, presence = "maybe" } = count.nodes[node.index] ?? {};
    if (node.costMilliCredits === 0) {
      continue;
    }
    // Nodes that do not run because of an absent input cost nothing.
    const unit = presence === "never" ? 0 : node.costMilliCredits;
    worst += (runs ?? iterationsMax(limits)) * unit;
    if (runs === null) {
      continue;
    }
    prepaid.push({ node_id: node.id, iterations: runs });
    liability += runs * unit;
    if (max !== undefined && liability > max) {
      throw refusal(
        "admission_limits.max_admitted_milli_credits",
        `Node "${node.id}" brings the run's liability to ${String(liability)} milli-credits, and max_admitted_milli_credits is ${String(max)}. Send fewer items, or raise the bound.`,
        node.id,
      );
    }
  }
  return {
    count,
    liabilityMilliCredits: liability,
    worstMilliCredits: Math.min(worst, max ?? Number.POSITIVE_INFINITY),
    prepaid,
    unit_costs: unitCosts(priced),
  };
}

function unitCosts(plan: Plan): ComputedAdmission["unit_costs"] {
  return plan.nodes
    .filter(({ costMilliCredits }) => costMilliCredits > 0)
    .map(({ id, costMilliCredits }) => ({ node_id: id, milli_credits: costMilliCredits }));
}

function tooManyIterations(
  { node, iterations }: NonNullable<IterationCount["tooMany"]>,
  limits: AdmissionLimits,
): AppError {
  const max = limits.max_iterations_per_node ?? ITERATIONS_MAX;
  const counted = Number.isFinite(iterations) ? String(iterations) : "more than 100000";
  return max < ITERATIONS_MAX
    ? refusal(
        "admission_limits.max_iterations_per_node",
        `Node "${node.id}" would have ${counted} iterations, and max_iterations_per_node is ${String(max)}. Send fewer items, or raise the bound.`,
        node.id,
      )
    : refusal(
        "inputs",
        `Node "${node.id}" would have ${counted} iterations, and no node runs more than ${String(ITERATIONS_MAX)} times. Send fewer items, or split the run.`,
        node.id,
      );
}

function refusal(field: string, message: string, nodeId: string): AppError {
  return new AppError("validation_error", `${field}: ${message}`, {
    errors: [{ field, message, node_id: nodeId }],
  });
}
