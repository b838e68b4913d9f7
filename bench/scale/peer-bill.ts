/**
 * The cost of a million runs by the public price lists of other services, for docs/scaling.md. Units follow each list's
 * own definition; other items that a list bills are named and left out.
 */
import type { Measured, Operations } from "./operations.ts";

/** When the lists were read, from stored copies of their pages. */
export const PRICES_READ = "2026-11-22";

interface PeerPrice {
  readonly service: string;
  /** The billed unit, in the list's words. */
  readonly unit: string;
  /** US dollars per million units. */
  readonly perMillion: number;
  /** US dollars for a million runs, whatever their number of units. */
  readonly perMillionRuns?: number;
  /** Units of a run of ten steps, and of one with a thousand tasks. */
  readonly units: readonly [steps: number, tasks: number];
  /** Other billed items, and limits of the figure. */
  readonly besides: string;
  readonly source: string;
}

export const PEER_PRICES: readonly PeerPrice[] = [
  {
    service: "Temporal Cloud, Developer plan",
    unit: "Action: a workflow's start, an activity's start",
    perMillion: 50 * 1.1,
    units: [11, 1_001],
    besides:
      "the plan's 10 % are in it; storage and your workers are not. Business: from $50 down to $25 for the 200th million of a month, then by agreement",
    source: "https://docs.temporal.io/cloud/pricing",
  },
  {
    service: "AWS Step Functions Standard, us-east-1",
    unit: "state transition: a step that is executed",
    perMillion: 25,
    units: [10, 1_001],
    besides: "what the steps call; the thousand tasks are one Map state",
    source: "https://aws.amazon.com/step-functions/pricing/",
  },
  {
    service: "AWS Step Functions Express, us-east-1",
    unit: "request, and 64 MB for 100 ms, the least that is billed",
    perMillion: 1 + ((1_000_000 * 0.0625 * 0.1) / 3_600) * 0.06,
    units: [1, 1],
    besides:
      "each further 100 ms, so this is the least; $0.06 for a GB-hour is the price of the first 1,000 of a month; at least once, five minutes at most",
    source: "https://aws.amazon.com/step-functions/pricing/",
  },
  {
    service: "Inngest, Pro plan of a former list",
    unit: "step, besides the run of the function",
    perMillion: 20,
    perMillionRuns: 25,
    units: [10, 1_000],
    besides:
      "the plan's monthly price. Today's plans count runs and steps alike as executions and include 1 million (Pro) or 10 million (Business); the price beyond that was in no copy. The figures are of the last list in the public source of the provider's site (`app/(v1)/pricing/plans.ts`)",
    source: "https://github.com/inngest/website",
  },
  {
    service: "Trigger.dev",
    unit: "run of a task, its base cost",
    perMillion: 25,
    units: [1, 1_001],
    besides:
      "each second of each run's machine; ten steps are one run, each of the thousand is one",
    source: "https://trigger.dev/docs/run-usage",
  },
  {
    service: "Cloudflare Workflows",
    unit: "request: a workflow's invocation",
    perMillion: 0.3,
    units: [1, 1],
    besides: "CPU time ($0.02 for a million ms) and storage ($0.20 for a GB and a month)",
    source: "https://developers.cloudflare.com/workflows/reference/pricing/",
  },
];

/** Dollars for a million runs of that many units. */
export function peerCost(
  { perMillion, perMillionRuns = 0 }: Pick<PeerPrice, "perMillion" | "perMillionRuns">,
  units: number,
): number {
  return perMillionRuns + perMillion * units;
}

/** `cost` returns the price of a million runs of a shape on this service. */
export function peerTable(measured: Measured, cost: (of: Operations) => number): string {
  const [steps, tasks] = ["a run of 10 steps", "a fan-out of 1,000 items, a task each"].map(
    (name) => measured.shapes.find((shape) => shape.name === name),
  );
  if (steps === undefined || tasks === undefined) {
    throw new Error("The run shapes of the bill were not counted.");
  }
  const rows = PEER_PRICES.map((peer) => {
    const cells = peer.units.map(
      (units) => `${units.toLocaleString("en")} | ${dollars(peerCost(peer, units))}`,
    );
    return `| [${peer.service}](${peer.source}) | ${peer.unit} | ${cells.join(" | ")} | ${peer.besides} |`;
  });
  return [
    "| | billed | units, ten steps | $ for a million runs | units, a thousand tasks | $ for a million runs | besides |",
    "|---|---|---:|---:|---:|---:|---|",
    `| this service | Cloudflare's list, as counted above | | ${dollars(cost(steps.operations))} | | ${dollars(cost(tasks.operations))} | what is kept |`,
    ...rows,
  ].join("\n");
}

function dollars(amount: number): string {
  return amount.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
}
