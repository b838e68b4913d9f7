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
import type { Figure } from "./figure.ts";
import type { Peers } from "./start-peers.ts";
import { spread } from "./statistics.ts";

const STEPS = 10;

export interface ConcurrencyOptions {
  readonly runs?: number;
  readonly clients?: readonly number[];
  readonly rounds?: number;
  /** No contender starts a run after this time; its figure covers the runs until then. */
  readonly boundMs?: number;
}

/** W3: 200 runs of ten steps by 1, 4, 16 and 64 clients: steps a second, every run's output and steps checked. */
export async function measureConcurrency(
  client: ApiClient,
  peers: Peers,
  { runs = 200, clients = [1, 4, 16, 64], rounds = 2, boundMs = 4_000 }: ConcurrencyOptions = {},
): Promise<Figure[]> {
  const ours = await edgeloom(client, chain(STEPS));
  const bare = peer("bare object", peers.bareUrl, `/chain?n=${STEPS}`);
  const workflows = peer("Cloudflare Workflows", peers.workflowsUrl, `/?n=${STEPS}`);
  const rate = async (contender: Contender, expected: unknown, count: number, forMs = boundMs) => {
    const ended: Started[] = [];
    const once = async () => {
      ended.push(await runOnce(contender, expected, pollMsFor(count)));
    };
    const { done, elapsedMs } = await closedLoop(once, {
      clients: count,
      starts: runs,
      forMs,
    });
    for (const run of ended) {
      await checkEffects(contender, run, STEPS);
    }
    return { perSecond: (done * STEPS * 1000) / elapsedMs, done };
  };
  const figures: Figure[] = [];
  for (const count of clients) {
    const [own, floor] = [[] as number[], [] as number[]];
    for (let round = 0; round < rounds; round += 1) {
      own.push((await rate(ours, String(STEPS), count)).perSecond);
      floor.push((await rate(bare, STEPS, count)).perSecond);
    }
    process.stderr.write(`${count} clients: ${own.map(Math.round).join(", ")} steps a second\n`);
    // Once, and half as long, because it takes several times as long as the others' rounds together.
    const theirs = await rate(workflows, STEPS, count, boundMs / 2);
    figures.push({
      workload: "W3",
      name: `steps a second, ${runs} runs of ${STEPS} steps by ${count} ${count === 1 ? "client" : "clients"}`,
      unit: "a second",
      ours: spread(own),
      beside: [
        { name: "bare object", value: spread(floor) },
        {
          name: `Cloudflare Workflows, ${theirs.done} runs`,
          value: spread([theirs.perSecond]),
        },
      ],
      targets: [],
      note: `polled each ${pollMsFor(count)} ms`,
    });
  }
  return figures;
}

/** Limits all clients together to a thousand polls a second, for every contender. */
export function pollMsFor(clients: number): number {
  return Math.max(2, clients);
}
