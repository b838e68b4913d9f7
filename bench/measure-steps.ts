import type { ApiClient } from "../scripts/api-client.ts";
import { chain, pairChain } from "./bench-workflows.ts";
import { edgeloom, peer, timeRun } from "./contenders.ts";
import { atMost, type Figure } from "./figure.ts";
import { interleave } from "./interleave.ts";
import type { Peers } from "./start-peers.ts";
import { mean, median, spread } from "./statistics.ts";

const STEPS = 10;

/** Ten inline steps, beside Cloudflare Workflows and a bare object. */
export async function measureTenSteps(client: ApiClient, peers: Peers): Promise<Figure> {
  const ours = await edgeloom(client, chain(STEPS));
  const workflows = peer("Cloudflare Workflows", peers.workflowsUrl, `/?n=${STEPS}`);
  const bare = peer("bare object", peers.bareUrl, `/chain?n=${STEPS}`);
  const samples = await interleave(
    40,
    {
      ours: () => timeRun(ours, String(STEPS)),
      workflows: () => timeRun(workflows, STEPS),
      bare: () => timeRun(bare, STEPS),
    },
    10,
  );
  const p50 = median(samples.ours);
  return {
    name: `${STEPS} inline steps, POST to the first terminal answer`,
    unit: "ms",
    ours: spread(samples.ours),
    beside: [
      { name: "Cloudflare Workflows", value: spread(samples.workflows) },
      { name: "bare object", value: spread(samples.bare) },
    ],
    targets: [
      atMost("≤ 0.6 × Cloudflare Workflows", p50 / median(samples.workflows), 0.6),
      atMost("≤ 1.6 × bare object", p50 / median(samples.bare), 1.6),
    ],
  };
}

/**
 * What a step costs in long runs and in short ones. A definition holds 500 nodes, so a run of
 * n steps is a chain of n/2 nodes over two elements, in the short runs too.
 */
export async function measureSlope(client: ApiClient): Promise<Figure> {
  const [ten, twenty, mid, long] = [5, 10, 250, 490] as const;
  const entry = async (nodes: number) => {
    const contender = await edgeloom(client, pairChain(nodes));
    const expected = JSON.stringify([{ x: nodes + 1 }, { x: nodes + 2 }]);
    return () => timeRun(contender, expected);
  };
  const short = await interleave(80, { ten: await entry(ten), twenty: await entry(twenty) }, 10);
  const lengthy = await interleave(12, { mid: await entry(mid), long: await entry(long) }, 2);
  // Means for the short ones: a poll each 2 ms rounds every single run, and the mean sees through that.
  const shortSlope = ((mean(short.twenty) - mean(short.ten)) / (2 * (twenty - ten))) * 1000;
  const longSlopes = lengthy.long.map(
    (ms, i) => ((ms - (lengthy.mid[i] ?? 0)) / (2 * (long - mid))) * 1000,
  );
  const shortSpread = { ...spread([shortSlope]), count: short.ten.length };
  return {
    name: `a further step, between runs of ${2 * mid} and ${2 * long} steps`,
    unit: "µs",
    ours: spread(longSlopes),
    beside: [{ name: `between ${2 * ten} and ${2 * twenty} steps`, value: shortSpread }],
    targets: [atMost("≤ 1.2 × the short one", median(longSlopes) / shortSlope, 1.2)],
    note: "chains of half as many nodes over two elements, since a definition holds 500 nodes",
  };
}
