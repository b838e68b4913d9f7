import type { ApiClient } from "../scripts/api-client.ts";
import { chain } from "./bench-workflows.ts";
import { closedLoop } from "./closed-loop.ts";
import {
  checkEffects,
  type Contender,
  edgeloom,
  peer,
  runOnce,
  type Started,
} from "./contenders.ts";
import { atLeast, type Figure } from "./figure.ts";
import type { Peers } from "./start-peers.ts";
import { spread } from "./statistics.ts";

export interface SustainedOptions {
  readonly seconds?: number;
}

/** The output of every run is checked, and the step count of this fraction of them. */
const EFFECTS_EACH = 10;
const SECOND_MS = 1000;

/** Complete runs for half a minute: of one step, and of a hundred. */
export async function measureSustained(
  client: ApiClient,
  peers: Peers,
  { seconds = 30 }: SustainedOptions = {},
): Promise<Figure[]> {
  const oneStep = await compare(client, peers, { steps: 1, clients: 48, pollMs: 100, seconds });
  const hundred = await compare(client, peers, { steps: 100, clients: 8, pollMs: 8, seconds });
  return [
    {
      workload: "sustained",
      name: `one-step runs a second to their end, over ${seconds} s`,
      unit: "a second",
      ...oneStep,
      targets: [atLeast("≥ 150", oneStep.ours.median, 150)],
    },
    {
      workload: "sustained",
      name: `steps a second in runs of 100 steps, over ${seconds} s`,
      unit: "a second",
      ...hundred,
      targets: [atLeast("≥ 3,000", hundred.ours.median, 3000)],
    },
  ];
}

interface LoadShape {
  readonly steps: number;
  readonly clients: number;
  /** Pause of a client between polls: this measures a rate, and every poll reduces it. */
  readonly pollMs: number;
  readonly seconds: number;
}

/** Steps a second of the service for this long, then of the bare object for a sixth of it. */
async function compare(
  client: ApiClient,
  peers: Peers,
  { steps, clients, pollMs, seconds }: LoadShape,
) {
  const ours = await edgeloom(client, chain(steps));
  const bare = peer("bare object", peers.bareUrl, `/chain?n=${steps}`);
  const warmUp = {
    contender: ours,
    expected: String(steps),
    steps,
    clients,
    pollMs,
    forMs: SECOND_MS,
  };
  await sustain(warmUp);
  const { rate, done } = await sustain({ ...warmUp, forMs: seconds * SECOND_MS });
  const floor = await sustain({
    ...warmUp,
    contender: bare,
    expected: steps,
    forMs: (seconds * SECOND_MS) / 6,
  });
  return {
    ours: spread([rate]),
    beside: [{ name: "bare object", value: spread([floor.rate]) }],
    note: `${clients} clients, polled each ${pollMs} ms, ${done} runs`,
  };
}

interface Sustained {
  readonly contender: Contender;
  readonly expected: unknown;
  readonly steps: number;
  readonly clients: number;
  readonly pollMs: number;
  readonly forMs: number;
}

/** Steps a second from the first start to the end of the last run: started runs are finished and counted. */
async function sustain({ contender, expected, steps, clients, pollMs, forMs }: Sustained) {
  const ended: Started[] = [];
  const { done, elapsedMs } = await closedLoop(
    async () => {
      ended.push(await runOnce(contender, expected, pollMs));
    },
    { clients, starts: Infinity, forMs },
  );
  for (const run of ended.filter((_, index) => index % EFFECTS_EACH === 0)) {
    await checkEffects(contender, run, steps);
  }
  return { rate: (done * steps * SECOND_MS) / elapsedMs, done };
}
