import { compile } from "../../../src/engine/compile/compile.ts";
import type { Plan } from "../../../src/engine/plan/plan.ts";
import { defineGraph, type GraphNode } from "../../simulation/define-graph.ts";
import { findSimulatedNode } from "../../simulation/simulate-seed.ts";

/**
 * The plan of a definition with the test's task node. Throws, with the issues, if it does not
 * compile.
 */
export function planOf(nodes: readonly GraphNode[], links: readonly string[]): Plan {
  const { plan, issues } = compile(defineGraph(nodes, links), findSimulatedNode);
  if (plan === undefined) {
    throw new Error(JSON.stringify(issues));
  }
  return plan;
}
