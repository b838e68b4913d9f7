import type { ApiClient } from "../scripts/api-client.ts";
import { fanOut, fanOutText } from "./bench-workflows.ts";
import { edgeloom, type FanTimes, peer, timeFan, timeRun } from "./contenders.ts";
import { atMost, type Figure } from "./figure.ts";
import { interleave } from "./interleave.ts";
import type { Peers } from "./start-peers.ts";
import { median, spread } from "./statistics.ts";

export interface FanOutOptions {
  /** Smallest first; the last two that differ tenfold give the ratio. */
  readonly sizes?: readonly number[];
  readonly rounds?: number;
  /** It fails for larger ones: it has two timers per step, and at most 10,000. */
  readonly workflowsMax?: number;
}

/** Nodes that each element passes. */
const NODES = 2;

/** W4: fan-outs through a calculation and a template to an aggregate, beside bare rows and, up to 1,000, Cloudflare Workflows. */
export async function measureFanOut(
  client: ApiClient,
  peers: Peers,
  { sizes = [100, 1_000, 5_000, 10_000], rounds = 8, workflowsMax = 1_000 }: FanOutOptions = {},
): Promise<Figure[]> {
  const medians = new Map<number, number>();
  const figures: Figure[] = [];
  for (const size of sizes) {
    const ours = await edgeloom(client, fanOut(size));
    const bare = peer("bare object", peers.bareUrl, `/fan?n=${size}`);
    const samples = await interleave(rounds, {
      ours: () => timeRun(ours, fanOutText(size), { effects: NODES * size }),
      bare: () => timeRun(bare, size, { effects: size }),
    });
    const workflows =
      size > workflowsMax ? undefined : await timeWorkflows(peers, size, Math.min(rounds, 3));
    const p50 = median(samples.ours);
    medians.set(size, p50);
    const tenth = medians.get(size / 10);
    figures.push({
      workload: "W4",
      name: `fan-out of ${commas(size)} items through calculate and template to an aggregate`,
      unit: "ms",
      ours: spread(samples.ours),
      beside: [
        { name: "bare object, 100 rows a commit", value: spread(samples.bare) },
        ...(workflows === undefined
          ? []
          : [{ name: "Cloudflare Workflows, one step an item", value: spread(workflows) }]),
      ],
      targets: size === 10_000 ? largest(p50, median(samples.bare), tenth) : [],
    });
  }
  const largestSize = sizes.at(-1) ?? 0;
  return [...figures, ...(await measureSettling(client, peers, largestSize, rounds))];
}

function largest(p50: number, bare: number, tenth: number | undefined) {
  return [
    atMost("≤ 4 × bare object", p50 / bare, 4),
    atMost("≤ 1,000 ms", p50, 1000),
    ...(tenth === undefined ? [] : [atMost("10,000 / 1,000 ≤ 11", p50 / tenth, 11)]),
  ];
}

async function timeWorkflows(peers: Peers, size: number, rounds: number): Promise<number[]> {
  const workflows = peer("Cloudflare Workflows", peers.workflowsUrl, `/fan?n=${size}`);
  const samples = [];
  for (let round = 0; round < rounds; round += 1) {
    samples.push(await timeRun(workflows, fanOutText(size), { effects: size }));
  }
  return samples;
}

/** When a poll of the trace shows the first element through both nodes, and when it shows all. */
async function measureSettling(
  client: ApiClient,
  peers: Peers,
  size: number,
  rounds: number,
): Promise<Figure[]> {
  const ours = await edgeloom(client, fanOut(size));
  const bare = peer("bare object", peers.bareUrl, `/fan?n=${size}`);
  const times = { ours: [] as FanTimes[], bare: [] as FanTimes[] };
  for (let round = 0; round < rounds; round += 1) {
    times.ours.push(await timeFan(ours, size));
    times.bare.push(await timeFan(bare, size));
  }
  return (["firstMs", "lastMs"] as const).map((which) => ({
    workload: "W4",
    name: `POST to the ${which === "firstMs" ? "first" : "last"} of ${commas(size)} items through both nodes`,
    unit: "ms",
    ours: spread(times.ours.map((time) => time[which])),
    beside: [
      {
        name: `bare object, its ${which === "firstMs" ? "first" : "last"} row seen`,
        value: spread(times.bare.map((time) => time[which])),
      },
    ],
    targets: [],
  }));
}

function commas(size: number): string {
  return size.toLocaleString("en-US");
}
