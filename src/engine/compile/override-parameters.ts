import type { Definition, NodeDefinition } from "../../contracts/workflows/definition.ts";
import { NOTHING_STORED } from "../../contracts/references.ts";
import type { Compiled, Plan, PlanNode } from "../plan/plan.ts";
import { connectedIn } from "../plan/node-cost.ts";
import { byParameters, compile } from "./compile.ts";
import { NO_REFERENCES, type References } from "./references.ts";
import type { FindNodeType } from "./read-nodes.ts";

/** One parameter that an interface sets for a run. */
export interface ParameterOverride {
  readonly node_id: string;
  readonly parameter: string;
  readonly value_json: string;
}

/**
 * Returns the plan of a definition with some parameters overridden, equal to the result of `compile` for the changed
 * definition. If only the node itself depends on its parameters, only that node is compiled again. Pure; `plan` is the
 * plan of `definition` and is not changed.
 */
export function overrideParameters(
  definition: Definition,
  plan: Plan,
  overrides: readonly ParameterOverride[],
  findNodeType: FindNodeType,
  references: References = NO_REFERENCES,
): Compiled {
  const changed = changedNodes(definition, overrides);
  if (changed.size === 0) {
    return { plan, issues: [], warnings: [] };
  }
  const nodes: PlanNode[] = [];
  for (const node of plan.nodes) {
    const given = changed.get(node.id);
    const made = given === undefined ? node : remade(plan, node, given);
    if (made === undefined) {
      return compile(withOverrides(definition, overrides), findNodeType, [], references);
    }
    nodes.push(made);
  }
  return { plan: { ...plan, nodes }, issues: [], warnings: [] };
}

/** Returns the definition of a run with these overrides. */
export function withOverrides(
  definition: Definition,
  overrides: readonly ParameterOverride[],
): Definition {
  const changed = changedNodes(definition, overrides);
  return { ...definition, nodes: definition.nodes.map((node) => changed.get(node.id) ?? node) };
}

function changedNodes(
  definition: Definition,
  overrides: readonly ParameterOverride[],
): ReadonlyMap<string, NodeDefinition> {
  const changed = new Map<string, NodeDefinition>();
  for (const { node_id, parameter, value_json } of overrides) {
    const node = changed.get(node_id) ?? definition.nodes.find(({ id }) => id === node_id);
    if (node !== undefined) {
      const parameters = { ...node.parameters, [parameter]: JSON.parse(value_json) as unknown };
      changed.set(node_id, { ...node, parameters });
    }
  }
  return changed;
}

/** Undefined if other nodes, ports or checks may depend on the parameters, or if they are invalid. */
function remade(plan: Plan, node: PlanNode, { parameters }: NodeDefinition): PlanNode | undefined {
  const { type } = node;
  if (
    type.role !== "transform" ||
    type.dynamicPorts !== undefined ||
    type.check !== undefined ||
    type.references !== undefined ||
    type.schemas !== undefined
  ) {
    return undefined;
  }
  const parsed = type.params.safeParse(parameters);
  return parsed.success
    ? { ...node, ...byParameters(type, parsed.data, connectedIn(plan, node), NOTHING_STORED) }
    : undefined;
}
