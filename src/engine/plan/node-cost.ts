import { type References, storedFor } from "../compile/references.ts";
import type { StoredReferences } from "../../contracts/references.ts";
import type { NodeType } from "../../nodes/define-roles.ts";
import type { ConnectedPort } from "../../nodes/define-ports.ts";
import type { Plan, PlanNode } from "./plan.ts";

type CostOfNode = Pick<PlanNode, "costMilliCredits" | "costUnit" | "isCostCeiling">;

/** Returns the highest cost of one element of a node with these parameters and connections [E25]. */
export function nodeCost(
  { type, cost }: NodeType,
  params: unknown,
  connected: readonly ConnectedPort[],
  stored: StoredReferences,
): CostOfNode {
  if (cost === undefined) {
    return { costMilliCredits: 0, costUnit: null, isCostCeiling: false };
  }
  const { unit, milliCredits, isCeiling } = cost;
  const worst =
    typeof milliCredits === "function"
      ? milliCredits(params as never, connected, stored)
      : milliCredits;
  if (!Number.isSafeInteger(worst) || worst < 0) {
    throw new RangeError(
      `${type} costs ${worst} milli-credits; the cost must be a whole number that is not negative`,
    );
  }
  const isBelow =
    typeof isCeiling === "function" ? isCeiling(params as never, stored, connected) : isCeiling;
  return {
    costMilliCredits: worst,
    costUnit: unit,
    isCostCeiling: isBelow ?? cost.ofInputs !== undefined,
  };
}

/** Returns the plan with the costs of its nodes after a submit has overridden some of their parameters. */
export function pricedPlan(
  plan: Plan,
  overrides: readonly {
    readonly node_id: string;
    readonly parameter: string;
    readonly value_json: string;
  }[],
  references: References,
): Plan {
  if (overrides.length === 0) {
    return plan;
  }
  const byNode = Map.groupBy(overrides, ({ node_id }) => node_id);
  return {
    ...plan,
    nodes: plan.nodes.map((node) => {
      const given = (byNode.get(node.id) ?? []).map(({ parameter, value_json: text }) => [
        parameter,
        JSON.parse(text) as unknown,
      ]);
      return given.length === 0
        ? node
        : { ...node, ...overriddenCost(plan, node, Object.fromEntries(given), references) };
    }),
  };
}

function overriddenCost(
  plan: Plan,
  node: PlanNode,
  overrides: object,
  references: References,
): CostOfNode {
  const params = { ...(node.params as object), ...overrides };
  const { stored } = storedFor(node.type, params, references);
  return nodeCost(node.type, params, connectedIn(plan, node), stored);
}

/** The sources of the ports of a planned node. */
export function connectedIn(plan: Plan, node: PlanNode): ConnectedPort[] {
  return node.inputs.flatMap(({ port, sources }) =>
    sources.map((source) => ({
      port,
      type: plan.nodes[source.node]?.outputTypes.get(source.port) ?? ("any" as const),
    })),
  );
}
