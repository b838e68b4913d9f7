import { silence } from "../test/chaos/silence.ts";
import { type RunningService, startService } from "../test/support/node/start-service.ts";
import type { Execution } from "../src/contracts/runs/run.ts";
import { checkedCodes } from "./bench-workflows.ts";
import {
  awaitEnds,
  checkEffects,
  type Contender,
  edgeloom,
  peer,
  type Started,
} from "./contenders.ts";
import { atLeast, atMost, type Figure } from "./figure.ts";
import { httpCall } from "./http-call.ts";
import type { Peers } from "./start-peers.ts";
import { startPeers } from "./start-peers.ts";
import { spread } from "./statistics.ts";

export interface KillsOptions {
  readonly runs?: number;
  readonly steps?: number;
  readonly kills?: number;
  /** How long a peer is left without requests after its restart. */
  readonly peerWaitMs?: number;
}

/**
 * The result of one kill: the number of interrupted runs, the number that ended by themselves, and the time of the last
 * end.
 */
interface Struck {
  readonly cutShort: number;
  readonly ended: number;
  readonly lastEndMs: number;
}

/**
 * W7: SIGKILL while runs are under way, a restart on the same folder without traffic, then the milliseconds from ready
 * to the end of the last run, minus the time that the runs take without a kill.
 */
export async function measureKills(
  directory: string,
  { runs = 20, steps = 40, kills = 2, peerWaitMs = 8_000 }: KillsOptions = {},
): Promise<Figure[]> {
  const own = await killService(`${directory}/service`, { runs, steps, kills });
  const bare = await killPeers(`${directory}/bare`, "bare", { runs, steps, kills, peerWaitMs });
  const workflows = await killPeers(`${directory}/workflows`, "workflows", {
    runs,
    steps,
    kills: 1,
    peerWaitMs,
  });
  const name = `${runs} runs of ${steps} steps killed under way`;
  const total = (struck: readonly Struck[]) => spread(struck.map(({ ended }) => ended));
  return [
    {
      workload: "W7",
      name: `${name}: from ready to the last end, less their own work`,
      unit: "ms",
      ours: spread(own.map(({ lastEndMs }) => lastEndMs)),
      beside: [
        {
          name: "bare object under an alarm each 500 ms, its own work included",
          value: spread(bare.map(({ lastEndMs }) => lastEndMs)),
        },
      ],
      targets: [atMost("≤ 3,000 ms", Math.max(...own.map(({ lastEndMs }) => lastEndMs)), 3000)],
      note: `${kills} kills, ${own.map(({ cutShort }) => cutShort).join(", ")} runs cut short`,
    },
    {
      workload: "W7",
      name: `${name}: runs that ended by themselves`,
      unit: `of ${runs}`,
      ours: total(own),
      beside: [
        { name: "bare object under an alarm", value: total(bare) },
        {
          name: `Cloudflare Workflows, ${workflows[0]?.cutShort ?? 0} cut short, left alone for ${peerWaitMs / 1000} s`,
          value: total(workflows),
        },
      ],
      targets: [atLeast("every one", Math.min(...own.map(({ ended }) => ended)), runs)],
    },
  ];
}

interface Shape {
  readonly runs: number;
  readonly steps: number;
  readonly kills: number;
}

async function killService(directory: string, { runs, steps, kills }: Shape): Promise<Struck[]> {
  let service = await startService({ directory });
  try {
    const contender = await edgeloom(service.client, checkedCodes(steps));
    // Two outputs per item: its text, inline, and its code.
    const right = { output: String(steps), effects: 2 * steps };
    await runAll(contender, runs, right);
    const begunAt = performance.now();
    await runAll(contender, runs, right);
    const workMs = performance.now() - begunAt;
    const struck: Struck[] = [];
    process.stderr.write(`the service takes ${workMs.toFixed(0)} ms without a kill\n`);
    for (let kill = 0; kill < kills; kill += 1) {
      const started: Started[] = [];
      await startAll(contender, runs, started);
      await settledBy(contender, started, (steps * (kill + 1)) / (kills + 1));
      const killedAtMs = Date.now();
      await service.kill();
      service = await startService({ directory, port: service.port });
      const readyAtMs = Date.now();
      await silence(directory);
      const ends = await Promise.all(started.map((run) => endOf(service, run)));
      await awaitEnds(contender, started, right.output);
      for (const run of started) {
        await checkEffects(contender, run, right.effects);
      }
      const cutShort = ends.filter((ms) => ms > killedAtMs).length;
      if (cutShort === 0) {
        throw new Error("The kill interrupted no run: the measurement is discarded.");
      }
      struck.push({
        cutShort,
        ended: ends.length,
        lastEndMs: Math.max(0, Math.max(readyAtMs, ...ends) - readyAtMs - workMs),
      });
    }
    return struck;
  } finally {
    await service.stop();
  }
}

/** When a run ended, according to the service. Throws unless it ended before the first request. */
async function endOf(service: RunningService, { pollUrl }: Started): Promise<number> {
  const askedAtMs = Date.now();
  const headers = { authorization: `Bearer ${await service.client.token()}` };
  const run = JSON.parse((await httpCall("GET", pollUrl, { headers })).text) as Execution;
  const endedAtMs = run.completed_at === null ? Number.NaN : Date.parse(run.completed_at);
  if (run.status !== "completed" || !(endedAtMs <= askedAtMs)) {
    throw new Error(
      `${run.id} has status ${run.status} after a kill and a restart without traffic.`,
    );
  }
  return endedAtMs;
}

async function killPeers(
  directory: string,
  which: "bare" | "workflows",
  { runs, steps, kills, peerWaitMs }: Shape & { readonly peerWaitMs: number },
): Promise<Struck[]> {
  let peers: Peers = await startPeers(directory);
  try {
    const contender =
      which === "bare"
        ? peer("bare object", peers.bareUrl, `/watched-chain?n=${steps}`)
        : peer("Cloudflare Workflows", peers.workflowsUrl, `/?n=${steps}`);
    const right = { output: steps, effects: steps };
    await runAll(contender, runs, right);
    const begunAt = performance.now();
    await runAll(contender, runs, right);
    const workMs = performance.now() - begunAt;
    const struck: Struck[] = [];
    process.stderr.write(`${contender.name} takes ${workMs.toFixed(0)} ms without a kill\n`);
    for (let kill = 0; kill < kills; kill += 1) {
      const started: Started[] = [];
      const sending = startAll(contender, runs, started);
      await sleep((workMs * (kill + 1)) / (kills + 1));
      const killedAtMs = Date.now();
      await peers.kill();
      await sending;
      peers = await peers.restart();
      const readyAtMs = Date.now();
      await silence(directory);
      await sleep(Math.max(0, (which === "bare" ? 0 : peerWaitMs) - (Date.now() - readyAtMs)));
      const states = await Promise.all(started.map(stateOf));
      const ended = states.filter(({ done }) => done);
      const ends = ended.map(({ endedMs }) => endedMs ?? 0);
      struck.push({
        cutShort: states.filter(({ done, endedMs = 0 }) => !done || endedMs > killedAtMs).length,
        // A run whose POST was interrupted was never acknowledged.
        ended: ended.length + (runs - started.length),
        lastEndMs: Math.max(0, Math.max(readyAtMs, ...ends) - readyAtMs),
      });
    }
    return struck;
  } finally {
    await peers.stop();
  }
}

interface PeerEnd {
  readonly done: boolean;
  readonly endedMs?: number;
}

/** The peer's state of a run; a peer that does not respond within two seconds counts as not ended. */
async function stateOf({ pollUrl }: Started): Promise<PeerEnd> {
  const response = await Promise.race([
    httpCall("GET", pollUrl),
    sleep(2000).then(() => ({ status: 504, text: "" })),
  ]);
  return response.status === 200 ? (JSON.parse(response.text) as PeerEnd) : { done: false };
}

async function runAll(
  contender: Contender,
  runs: number,
  right: { readonly output: unknown; readonly effects: number },
): Promise<void> {
  const started: Started[] = [];
  await startAll(contender, runs, started);
  if (started.length !== runs) {
    throw new Error(`${contender.name} accepted ${started.length} of ${runs} runs.`);
  }
  await awaitEnds(contender, started, right.output);
  for (const run of started) {
    await checkEffects(contender, run, right.effects);
  }
}

/** Waits until the first run has completed this many tasks; the others are served in turn and are about as far. */
async function settledBy(
  contender: Contender,
  [first]: readonly Started[],
  tasks: number,
): Promise<void> {
  if (first === undefined) {
    throw new Error("No run was accepted.");
  }
  const deadline = performance.now() + 30_000;
  while (((await contender.countSettled?.(first)) ?? 0) < tasks) {
    if (performance.now() > deadline) {
      throw new Error(`A run did not reach ${tasks} tasks within 30 s.`);
    }
    await sleep(2);
  }
}

/** All at once; requests that a kill interrupts are left out. */
async function startAll(contender: Contender, runs: number, into: Started[]): Promise<void> {
  await Promise.all(
    Array.from({ length: runs }, () =>
      contender.start().then(
        (started) => into.push(started),
        () => undefined,
      ),
    ),
  );
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
