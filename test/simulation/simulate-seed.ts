import { findNodeType } from "../../src/nodes/registry.ts";
import type { NodeInputs, NodeOutputs, NodeType } from "../../src/nodes/define-node.ts";
import { fakeTaskNode, runFakeTask } from "./fake-task-node.ts";
import { plainOutcome } from "./plain-outcome.ts";
import { randomGraph, type RandomGraph } from "./random-graph.ts";
import { interpret } from "./reference-interpreter.ts";
import { runEngine } from "./run-engine.ts";

export function findSimulatedNode(type: string): NodeType | undefined {
  return type === fakeTaskNode.type ? fakeTaskNode : findNodeType(type);
}

export interface SeedVerdict {
  readonly seed: number;
  readonly graph: RandomGraph;
  readonly expected: ReturnType<typeof plainOutcome>;
  readonly actual: ReturnType<typeof plainOutcome>;
  readonly crashes: number;
  readonly tasksRun: number;
  readonly commits: number;
}

/** One seed: a random graph in a hostile world, and what the reference says it must give. */
export async function simulateSeed(seed: number): Promise<SeedVerdict> {
  const graph = randomGraph(seed, findSimulatedNode);
  return simulateGraph(seed, graph);
}

export async function simulateGraph(seed: number, graph: RandomGraph): Promise<SeedVerdict> {
  const { definition, inputs } = graph;
  const request = { definition, findNodeType: findSimulatedNode, inputs };
  const expected = await interpret({ ...request, runTask: attemptTask });
  const actual = await runEngine({ ...request, seed });
  return {
    seed,
    graph,
    expected: plainOutcome(expected),
    actual: plainOutcome(actual),
    crashes: actual.crashes,
    tasksRun: actual.tasksRun,
    commits: actual.rows.commits,
  };
}

function attemptTask(
  _spec: NodeType,
  inputs: NodeInputs,
  params: unknown,
  attempt: number,
): NodeOutputs {
  return runFakeTask(inputs, params as Parameters<typeof runFakeTask>[1], attempt);
}
