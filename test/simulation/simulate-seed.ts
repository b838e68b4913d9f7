import { findNodeType } from "../../src/nodes/registry.ts";
import type { NodeType } from "../../src/nodes/define-roles.ts";
import {
  fakeClaim,
  fakeGiveBacks,
  findFakeNode,
  gatheredInputs,
  runFakeTask,
} from "./fake-task-node.ts";
import { plainOutcome } from "./plain-outcome.ts";
import { randomGraph, type RandomGraph } from "./random-graph.ts";
import { interpret, type InterpretRequest } from "./reference-interpreter.ts";
import type { Interpretation } from "./reference-result.ts";
import { runEngine } from "./run-engine.ts";

type FakeParams = Parameters<typeof runFakeTask>[1];

export function findSimulatedNode(type: string): NodeType | undefined {
  return findFakeNode(type) ?? findNodeType(type);
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

/** One seed: a random graph in a hostile world, and the reference's result. */
export async function simulateSeed(seed: number): Promise<SeedVerdict> {
  const graph = randomGraph(seed, findSimulatedNode);
  return simulateGraph(seed, graph);
}

export async function simulateGraph(seed: number, graph: RandomGraph): Promise<SeedVerdict> {
  const { definition, inputs } = graph;
  const expected = await referenceOutcome(graph);
  const actual = await runEngine({ definition, findNodeType: findSimulatedNode, inputs, seed });
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

/** The result that the specification requires for a graph. */
export function referenceOutcome(
  { definition, inputs }: RandomGraph,
  isHealed = false,
  onElement?: InterpretRequest["onElement"],
): Promise<Interpretation> {
  return interpret({
    ...(onElement !== undefined && { onElement }),
    definition,
    findNodeType: findSimulatedNode,
    inputs,
    runTask: (_spec, given, params, attempt) =>
      runFakeTask(given, params as FakeParams, attempt, isHealed),
    gather: gatheredInputs,
    giveBacks: (given, params) => fakeGiveBacks(given, params as FakeParams),
    claim: (given, params, isOk) => fakeClaim(given, params as FakeParams, isOk),
  });
}
