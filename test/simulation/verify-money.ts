import type { RandomGraph } from "./random-graph.ts";
import { type MoneyVerdict, simulateMoneyGraph } from "./simulate-money-seed.ts";
import { referenceOutcome } from "./simulate-seed.ts";

/** The problem of a run with credits and cancels at its end, in one line; undefined if there is none. */
export async function moneyProblem(verdict: MoneyVerdict): Promise<string | undefined> {
  const { graph, outcome, costMilliCredits } = verdict;
  if (outcome.chargedMilliCredits !== costMilliCredits) {
    return `charged ${outcome.chargedMilliCredits} for work of ${costMilliCredits}`;
  }
  const status: string = outcome.status;
  if (status === "cancelled") {
    return undefined;
  }
  const ended = `ended as ${status}, ${outcome.error_code}`;
  if (outcome.stoppedBy !== null) {
    const isStopped = status === "partial_success" || status === "failed";
    return isStopped && outcome.error_code !== null
      ? undefined
      : `stopped by ${outcome.stoppedBy}, ${ended}`;
  }
  const expected = await referenceOutcome(graph);
  return status === expected.status && outcome.error_code === expected.error_code
    ? undefined
    : `${ended} instead of ${expected.status}, ${expected.error_code}`;
}

/** The same for a graph in the world of a seed, including invariants that the simulation checks meanwhile. */
export async function verifyMoneyGraph(
  seed: number,
  graph: RandomGraph,
): Promise<string | undefined> {
  try {
    return await moneyProblem(await simulateMoneyGraph(seed, graph));
  } catch (error) {
    return String(error).slice(0, 500);
  }
}
