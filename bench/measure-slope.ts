import type { RunningService } from "../test/support/node/start-service.ts";
import { pairChain } from "./bench-workflows.ts";
import { type Contender, edgeloom } from "./contenders.ts";
import { atMost, type Figure } from "./figure.ts";
import { processorTimeUs } from "./processor-time.ts";
import { median, spread } from "./statistics.ts";

const ROUNDS = 5;
/** Nodes of a chain over two elements, runs in a block, and how long a run is left alone before it is polled. */
const SHORT = { low: 5, high: 10, runs: 40, restMs: 25 };
const LONG = { low: 250, high: 490, runs: 6, restMs: 120 };

/**
 * What a step costs in long runs and in short ones. A definition holds 500 nodes, so a run of
 * n steps is a chain of n/2 nodes over two elements, in the short runs too. A step takes some
 * microseconds, and a wall clock read through polls is a thousand times coarser: this is the
 * processor time of workerd, all of its threads, for the submit, the run and one poll.
 */
export async function measureSlope(service: RunningService): Promise<Figure> {
  const workerd = await service.workerdPid();
  const contenders = new Map<number, Contender>();
  for (const nodes of [SHORT.low, SHORT.high, LONG.low, LONG.high]) {
    contenders.set(nodes, await edgeloom(service.client, pairChain(nodes)));
  }
  const perRunUs = async (nodes: number, { runs, restMs }: typeof SHORT) => {
    const contender = contenders.get(nodes);
    if (contender === undefined) {
      throw new Error(`No workflow of ${nodes} nodes.`);
    }
    const before = await processorTimeUs(workerd);
    for (let run = 0; run < runs; run += 1) {
      await runOnce(contender, nodes, restMs);
    }
    return ((await processorTimeUs(workerd)) - before) / runs;
  };
  const slope = async (part: typeof SHORT, isTurned: boolean) => {
    const order = isTurned ? [part.high, part.low] : [part.low, part.high];
    const costs = new Map<number, number>();
    for (const nodes of order) {
      costs.set(nodes, await perRunUs(nodes, part));
    }
    return (
      ((costs.get(part.high) ?? 0) - (costs.get(part.low) ?? 0)) / (2 * (part.high - part.low))
    );
  };
  const [short, long] = [[] as number[], [] as number[]];
  for (let round = -1; round < ROUNDS; round += 1) {
    const isTurned = round % 2 === 0;
    const [ofShort, ofLong] = [await slope(SHORT, isTurned), await slope(LONG, isTurned)];
    if (round >= 0) {
      short.push(ofShort);
      long.push(ofLong);
    }
  }
  return {
    workload: "W5",
    name: `processor time of a further step, between runs of ${2 * LONG.low} and ${2 * LONG.high} steps`,
    unit: "µs",
    ours: spread(long),
    beside: [
      { name: `between ${2 * SHORT.low} and ${2 * SHORT.high} steps`, value: spread(short) },
    ],
    targets: [atMost("≤ 1.2 × the short one", ratio(median(long), median(short)), 1.2)],
    note: "chains of half as many nodes over two elements, since a definition holds 500 nodes",
  };
}

/** A short slope that drowned in noise is no proof of anything: the target is then missed. */
function ratio(long: number, short: number): number {
  return short > 0 ? long / short : Infinity;
}

async function runOnce(contender: Contender, nodes: number, restMs: number): Promise<void> {
  const started = await contender.start();
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, restMs));
    const over = await contender.poll(started);
    if (over !== undefined) {
      const expected = JSON.stringify([{ x: nodes + 1 }, { x: nodes + 2 }]);
      if (over.value !== expected) {
        throw new Error(`A chain of ${nodes} gave ${JSON.stringify(over.value)}, not ${expected}.`);
      }
      return;
    }
  }
}
