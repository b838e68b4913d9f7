import type { ApiClient } from "../scripts/api-client.ts";
import { chain } from "./bench-workflows.ts";
import { awaitEnds, checkEffects, edgeloom, peer, type Started } from "./contenders.ts";
import { atMost, type Figure } from "./figure.ts";
import { openLoop } from "./open-loop.ts";
import type { Peers } from "./start-peers.ts";
import { median, quantile, spread, tail } from "./statistics.ts";

/** The output of every run is checked, and the step count of this fraction of them. */
const EFFECTS_EACH = 10;

export interface SubmitLoopOptions {
  readonly perSecond?: number;
  readonly seconds?: number;
}

/**
 * W6: submits that are due a hundred times a second, however long earlier ones take; each measured from its due time.
 */
export async function measureOpenLoop(
  client: ApiClient,
  peers: Peers,
  { perSecond = 100, seconds = 30 }: SubmitLoopOptions = {},
): Promise<Figure[]> {
  const ours = await edgeloom(client, chain(1));
  const bare = peer("bare new objects", peers.bareUrl, "/new");
  const workflows = peer("Cloudflare Workflows", peers.workflowsUrl, "/?n=1");
  const floorSeconds = Math.ceil(seconds / 6);
  const started: Started[] = [];
  const warmUp = { perSecond, calls: Math.min(perSecond, 100) };
  const submit = async () => {
    started.push(await ours.start());
  };
  const create = async () => {
    await bare.start();
  };
  await openLoop(create, warmUp);
  await openLoop(submit, warmUp);
  const floor = await openLoop(create, { perSecond, calls: perSecond * floorSeconds });
  const latencies = await openLoop(submit, { perSecond, calls: perSecond * seconds });
  await awaitEnds(ours, started, "1");
  for (const run of started.filter((_, index) => index % EFFECTS_EACH === 0)) {
    await checkEffects(ours, run, 1);
  }
  const instances: Started[] = [];
  const createInstance = async () => {
    instances.push(await workflows.start());
  };
  await openLoop(createInstance, warmUp);
  await awaitEnds(workflows, instances.splice(0), 1);
  const theirs = await openLoop(createInstance, { perSecond, calls: perSecond * floorSeconds });
  await awaitEnds(workflows, instances, 1);
  const note = `${latencies.length} submits; the others ${floorSeconds} s`;
  return [
    {
      workload: "W6",
      name: `a submit, ${perSecond} due each second for ${seconds} s, from when it was due`,
      unit: "ms",
      ours: spread(latencies),
      beside: [
        { name: "bare new objects", value: spread(floor) },
        { name: "Cloudflare Workflows, create()", value: spread(theirs) },
      ],
      targets: [],
      note,
    },
    {
      workload: "W6",
      name: `the same, 99th percentile`,
      unit: "ms",
      ours: tail(latencies, 0.99),
      beside: [
        { name: "bare new objects", value: tail(floor, 0.99) },
        { name: "Cloudflare Workflows, create()", value: tail(theirs, 0.99) },
      ],
      targets: [atMost("< 50 ms", quantile(latencies, 0.99), 50)],
      note: `slowest ${Math.max(...latencies).toFixed(0)} ms, median ${median(latencies).toFixed(1)} ms`,
    },
  ];
}
