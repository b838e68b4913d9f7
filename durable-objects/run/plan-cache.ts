import { parseDefinition } from "../../src/contracts/parse-definition.ts";
import { compile } from "../../src/engine/compile/compile.ts";
import type { Plan } from "../../src/engine/plan/plan.ts";
import { findNodeType } from "../../src/nodes/registry.ts";
import type { RunFacts } from "./live-run.ts";

const PLANS_MAX = 200;
const plans = new Map<string, Plan>();

/**
 * The plan of a run. Published versions are immutable, so it is kept by workflow, version and what
 * the interface sets on parameters, as long as this isolate lives.
 */
export function planOf(facts: RunFacts, definitionJson: () => string): Plan {
  const key = JSON.stringify([
    facts.workspace_id,
    facts.workflow_id,
    facts.workflow_version,
    facts.parameter_overrides,
  ]);
  const known = plans.get(key);
  if (known !== undefined) {
    return known;
  }
  const definition = parseDefinition(definitionJson());
  for (const { node_id, parameter, value_json } of facts.parameter_overrides) {
    const node = definition.nodes.find((candidate) => candidate.id === node_id);
    if (node !== undefined) {
      node.parameters = { ...node.parameters, [parameter]: JSON.parse(value_json) as unknown };
    }
  }
  const { plan, issues } = compile(definition, findNodeType);
  if (plan === undefined) {
    throw new Error(`published version does not compile: ${JSON.stringify(issues[0])}`);
  }
  const [oldest] = plans.keys();
  if (plans.size >= PLANS_MAX && oldest !== undefined) {
    plans.delete(oldest);
  }
  plans.set(key, plan);
  return plan;
}
