import { compile } from "../../src/engine/compile/compile.ts";
import { randomGraph, type RandomGraph } from "./random-graph.ts";
import { type EngineOutcome, runEngine } from "./run-engine.ts";
import { SeededRandom } from "./seeded-random.ts";
import type { Interpretation } from "./reference-result.ts";
import { findSimulatedNode, referenceOutcome } from "./simulate-seed.ts";

export interface MoneyVerdict {
  readonly graph: RandomGraph;
  readonly outcome: EngineOutcome;
  /** The cost of its settled work, which must be its exact charge. */
  readonly costMilliCredits: number;
}

/**
 * One seed of a run that may be refused and cancelled at any step, with a ledger whose calls are lost and repeated.
 * Throws if an invariant is violated meanwhile.
 */
export function simulateMoneySeed(seed: number): Promise<MoneyVerdict> {
  return simulateMoneyGraph(seed, randomGraph(seed, findSimulatedNode));
}

/** The same for a given graph in the world of the seed. */
export async function simulateMoneyGraph(seed: number, graph: RandomGraph): Promise<MoneyVerdict> {
  const random = new SeededRandom(seed * 7_919);
  const { definition, inputs } = graph;
  const cancelAt = random.chance(0.4) ? random.int(0, 12) : undefined;
  const balance = random.pick([0, 100, 400, 1_000_000, 1_000_000]);
  const maxAdmitted = random.chance(0.5) ? random.pick([1, 100, 300]) : undefined;
  const { plan } = compile(definition, findSimulatedNode);
  // Admission knows the nodes outside every iteration and may have reserved some of them.
  const prepaid = new Map(
    (plan?.nodes ?? [])
      .filter(({ scope }) => scope === 0 && random.chance(0.5))
      .map(({ index }) => [index, 1]),
  );
  const outcome = await runEngine({
    definition,
    findNodeType: findSimulatedNode,
    inputs,
    seed,
    money: { balance, prepaid, ...(maxAdmitted === undefined ? {} : { maxAdmitted }) },
    ...(cancelAt === undefined ? {} : { cancelAt }),
  });
  const costMilliCredits = settledCost(outcome, await referenceOutcome(graph));
  return { graph, outcome, costMilliCredits };
}

/** The reference's charge for the settled elements: a run may have been stopped before the others. */
export function settledCost(settled: Interpretation, expected: Interpretation): number {
  let cost = 0;
  for (const [id, cells] of settled.cells) {
    const charges = new Map(
      expected.cells
        .get(id)
        ?.map(({ indices, state, code, charge }) => [
          indices.join(),
          { state, code, charge: charge ?? 0 },
        ]),
    );
    for (const { indices, state, code } of cells) {
      const known = charges.get(indices.join());
      // An element that failed for another reason, such as a cancel, was not charged the reference's amount.
      cost += known?.state === state && known.code === code ? known.charge : 0;
    }
  }
  return cost;
}
