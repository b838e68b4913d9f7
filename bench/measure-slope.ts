import type { RunningService } from "../test/support/node/start-service.ts";
import { pairChain } from "./bench-workflows.ts";
import { type Contender, edgeloom, peer } from "./contenders.ts";
import { atMost, type Figure } from "./figure.ts";
import { processorTimeUs } from "./processor-time.ts";
import type { Peers } from "./start-peers.ts";
import { median, spread } from "./statistics.ts";

/** Steps of the compared runs, runs of each length in a block, and the time before a run's first poll. */
interface Part {
  readonly low: number;
  readonly high: number;
  readonly runs: number;
  readonly restMs: number;
}

export interface SlopeOptions {
  readonly rounds?: number;
  /** For the peers, whose long runs take seconds. */
  readonly peerRounds?: number;
  readonly long?: Pick<Part, "low" | "high">;
  /** Runs of each length in a block, if fewer suffice. */
  readonly runsMax?: number;
}

const SHORT = { low: 10, high: 20 };

interface Subject {
  /** Process ids of the workerds that may work for it; other workerds are idle meanwhile. */
  readonly pids: readonly number[];
  readonly contenderOf: (steps: number) => Promise<Contender>;
  readonly outputOf: (steps: number) => unknown;
  readonly short: Part;
  readonly long: Part;
  readonly rounds: number;
}

/**
 * W5: the cost of a step in long and in short runs. A definition holds 500 nodes, so a run of n steps is a chain of n/2
 * nodes over two elements, also for short runs; the peers have chains of n. A step takes microseconds, and a wall clock
 * read through polls is a thousand times coarser, so this measures the processor time of workerd, over all its threads,
 * for the submit, the run and its polls.
 */
export async function measureSlope(
  service: RunningService,
  peers: Peers,
  {
    rounds = 5,
    peerRounds = 2,
    long = { low: 500, high: 980 },
    runsMax = Infinity,
  }: SlopeOptions = {},
): Promise<Figure> {
  const pids = await peers.workerdPids();
  const ours = await slopes({
    pids: [await service.workerdPid()],
    contenderOf: (steps) => edgeloom(service.client, pairChain(steps / 2)),
    outputOf: (steps) => JSON.stringify([{ x: steps / 2 + 1 }, { x: steps / 2 + 2 }]),
    short: { ...SHORT, runs: Math.min(40, runsMax), restMs: 25 },
    long: { ...long, runs: Math.min(6, runsMax), restMs: 120 },
    rounds,
  });
  const bare = await slopes({
    pids,
    contenderOf: async (steps) => peer("bare object", peers.bareUrl, `/chain?n=${steps}`),
    outputOf: (steps) => steps,
    short: { ...SHORT, runs: Math.min(20, runsMax), restMs: 25 },
    long: { ...long, runs: Math.min(2, runsMax), restMs: 400 },
    rounds: peerRounds,
  });
  const workflows = await slopes({
    pids,
    contenderOf: async (steps) => peer("Cloudflare Workflows", peers.workflowsUrl, `/?n=${steps}`),
    outputOf: (steps) => steps,
    short: { ...SHORT, runs: Math.min(10, runsMax), restMs: 50 },
    long: { ...long, runs: Math.min(1, runsMax), restMs: 400 },
    rounds: peerRounds,
  });
  const short = `between ${SHORT.low} and ${SHORT.high} steps`;
  return {
    workload: "W5",
    name: `processor time of a further step, between runs of ${long.low} and ${long.high} steps`,
    unit: "µs",
    ours: spread(ours.long),
    beside: [
      { name: short, value: spread(ours.short) },
      { name: "bare object, a row and a commit a step", value: spread(bare.long) },
      { name: `the same ${short}`, value: spread(bare.short) },
      { name: "Cloudflare Workflows", value: spread(workflows.long) },
      { name: `the same ${short}`, value: spread(workflows.short) },
    ],
    targets: [atMost("≤ 1.2 × the short one", ratio(median(ours.long), median(ours.short)), 1.2)],
    note: "ours are chains of half as many nodes over two elements, since a definition holds 500 nodes",
  };
}

/**
 * Microseconds of an additional step in short and in long runs, one sample per round; the first round is not counted.
 */
async function slopes({ pids, contenderOf, outputOf, short, long, rounds }: Subject) {
  const contenders = new Map<number, Contender>();
  for (const steps of [short.low, short.high, long.low, long.high]) {
    contenders.set(steps, await contenderOf(steps));
  }
  const perRunUs = async (steps: number, { runs, restMs }: Part) => {
    const contender = contenders.get(steps);
    if (contender === undefined) {
      throw new Error(`No workflow of ${steps} steps.`);
    }
    const before = await processorTimeOf(pids);
    for (let run = 0; run < runs; run += 1) {
      await runOnce(contender, outputOf(steps), restMs);
    }
    return ((await processorTimeOf(pids)) - before) / runs;
  };
  const slope = async (part: Part, isTurned: boolean) => {
    const order = isTurned ? [part.high, part.low] : [part.low, part.high];
    const costs = new Map<number, number>();
    for (const steps of order) {
      costs.set(steps, await perRunUs(steps, part));
    }
    return ((costs.get(part.high) ?? 0) - (costs.get(part.low) ?? 0)) / (part.high - part.low);
  };
  const samples = { short: [] as number[], long: [] as number[] };
  for (let round = -1; round < rounds; round += 1) {
    const isTurned = round % 2 === 0;
    const [ofShort, ofLong] = [await slope(short, isTurned), await slope(long, isTurned)];
    if (round >= 0) {
      samples.short.push(ofShort);
      samples.long.push(ofLong);
    }
  }
  return samples;
}

async function processorTimeOf(pids: readonly number[]): Promise<number> {
  const times = await Promise.all(pids.map(processorTimeUs));
  return times.reduce((sum, time) => sum + time, 0);
}

/** A short slope lost in noise proves nothing; the target then counts as missed. */
function ratio(long: number, short: number): number {
  return short > 0 ? long / short : Infinity;
}

async function runOnce(contender: Contender, expected: unknown, restMs: number): Promise<void> {
  const started = await contender.start();
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, restMs));
    const over = await contender.poll(started);
    if (over !== undefined) {
      if (over.value !== expected) {
        throw new Error(
          `${contender.name} returned ${JSON.stringify(over.value)}, not ${JSON.stringify(expected)}.`,
        );
      }
      return;
    }
  }
}
