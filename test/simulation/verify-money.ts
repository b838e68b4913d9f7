import type { RandomGraph } from "./random-graph.ts";
import { type MoneyVerdict, simulateMoneyGraph } from "./simulate-money-seed.ts";
import { referenceOutcome } from "./simulate-seed.ts";

/** What is wrong with the end of a run with money and cancels, in one line; undefined when nothing is. */
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

/** The same of a graph in the world of a seed, with what the simulation finds broken on the way. */
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
