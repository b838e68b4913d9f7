/**
 * One seed of a whole run whose tasks ask models of providers that lie: the run's object, its storage, its credits and its
 * workers in a hostile world, until it has ended and all late messages have arrived.
 */
import { Definition } from "../../../src/contracts/workflows/definition.ts";
import { compile } from "../../../src/engine/compile/compile.ts";
import { type Fault, FAULTS, LOSSES } from "../object/faults.ts";
import { Trial } from "../object/simulate-object-seed.ts";
import type { RandomGraph } from "../random-graph.ts";
import { SeededRandom } from "../seeded-random.ts";
import { findSimulatedNode } from "../simulate-seed.ts";
import { fakeModelNode, MODEL_KINDS } from "./fake-model-node.ts";
import type { ModelsVerdict } from "./models-verdict.ts";

/** In some worlds nothing is lost but what the providers lose, in others only calls are. */
const WORLDS: readonly (readonly Fault[])[] = [[], LOSSES, ["refused calls"], LOSSES];

export async function simulateModelsSeed(seed: number): Promise<ModelsVerdict> {
  const graph = modelGraph(seed);
  const { plan, issues } = compile(graph.definition, findModelNode);
  if (plan === undefined) {
    throw new Error(`does not compile: ${JSON.stringify(issues)}`);
  }
  const losses = WORLDS[seed % WORLDS.length] ?? [];
  const faults = FAULTS.filter((fault) => losses.includes(fault) || !LOSSES.includes(fault));
  const trial = new Trial(seed, graph, plan, new Set(faults), false, true);
  try {
    const { problem, status } = await trial.run();
    const { providers = new Map(), seen = new Set<string>() } = trial.models ?? {};
    const works = [...providers].flatMap(([, { work }]) => [...work.values()]);
    return {
      problem,
      status,
      calls: works.length,
      doubles: works.filter(({ done }) => done > 1).length,
      charged: trial.charged,
      seen,
    };
  } finally {
    trial.world.storage.close();
  }
}

function findModelNode(type: string) {
  return type === fakeModelNode.type ? fakeModelNode : findSimulatedNode(type);
}

/** One to three nodes that ask models, each for one to four items or for what another has made. */
function modelGraph(seed: number): RandomGraph {
  const random = new SeededRandom(seed * 6_700_417);
  const asks = random.int(1, 3);
  const nodes: object[] = [];
  const connections: object[] = [];
  for (let at = 0; at < asks; at += 1) {
    const kind = random.pick(MODEL_KINDS);
    const calls = kind === "jobs" ? random.int(1, 3) : 1;
    nodes.push({ id: `ask_${at}`, type: fakeModelNode.type, parameters: { kind, calls } });
    const isChained = at > 0 && random.chance(0.5);
    if (!isChained) {
      const range = { start: 1, end: random.int(1, 4), step: 1 };
      nodes.push({ id: `items_${at}`, type: "enumerate/range", parameters: range });
    }
    const from = isChained
      ? { node: `ask_${at - 1}`, port: "out" }
      : { node: `items_${at}`, port: "value" };
    nodes.push({ id: `out_${at}`, type: "output/json", parameters: {} });
    connections.push(
      { from, to: { node: `ask_${at}`, port: "value" } },
      { from: { node: `ask_${at}`, port: "out" }, to: { node: `out_${at}`, port: "json" } },
    );
  }
  return { definition: Definition.parse({ nodes, connections }), inputs: new Map() };
}
