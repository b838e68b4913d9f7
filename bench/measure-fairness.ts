import type { ApiClient } from "../scripts/api-client.ts";
import type { RunningService } from "../test/support/node/start-service.ts";
import { type BenchWorkflow, chain, codes, fanOut } from "./bench-workflows.ts";
import { type Contender, edgeloom, POLL_MS, runOnce, timeRun } from "./contenders.ts";
import { atMost, type Figure } from "./figure.ts";
import { httpCall } from "./http-call.ts";
import { newTenant } from "./new-tenant.ts";
import { processorTimeUs } from "./processor-time.ts";
import { quantile, spread } from "./statistics.ts";

const CROWD = 10_000;
/** Samples of each side, enough to have some beyond the 99th percentile. */
const BLOCKS = 4;
const BLOCK_SAMPLES = 100;
/** Time limit of a side on a busy machine; fewer than 300 samples give no figure. */
const BLOCK_MS = 20_000;
const SAMPLES_MIN = 300;
/** Every other block starts this much later, when the crowding tenant has written its items and is executing tasks. */
const HEAD_START_MS = 2_000;
/** Interval of polls of the neighbor between two runs; alone, an ended run of the tenant itself is polled. */
const LOOK_MS = 100;
const STEPS = 3;
const WARM_UP = 20;

interface Neighbour {
  readonly name: string;
  /** The workload of the crowding tenant. */
  readonly workflow: BenchWorkflow;
}

/**
 * The effect on one tenant of another tenant's fan-out to 10,000 items: the 99th percentile of its own small runs,
 * alone and beside it, for inline runs and for runs with a task. A closed loop of one client: the next run starts when
 * the previous one has ended. In both cases the client also polls another run every 100 ms, outside the measured time.
 */
export async function measureFairness(service: RunningService): Promise<Figure[]> {
  const [crowding, quiet] = [await newTenant(service), await newTenant(service)];
  const small = await edgeloom(quiet, chain(STEPS));
  const oneCode: Contender = {
    ...(await edgeloom(quiet, codes(1))),
    // Its bytes are not measured; only the address is checked.
    fetchOutput: (value) => Promise.resolve(typeof (value as { url?: unknown }).url),
  };
  const neighbours: Neighbour[] = [
    { name: "10,000 tasks", workflow: codes(CROWD) },
    { name: "10,000 inline items", workflow: fanOut(CROWD) },
  ];
  const workerd = await service.workerdPid();
  const figures: Figure[] = [];
  for (const neighbour of neighbours) {
    const crowd = await edgeloom(crowding, neighbour.workflow);
    figures.push(
      await compare("small inline runs", small, String(STEPS), crowd, neighbour, crowding, workerd),
    );
    figures.push(
      await compare("runs with one task", oneCode, "string", crowd, neighbour, crowding, workerd),
    );
  }
  return figures;
}

async function compare(
  what: string,
  quiet: Contender,
  expected: unknown,
  crowd: Contender,
  neighbour: Neighbour,
  crowding: ApiClient,
  workerd: number,
): Promise<Figure> {
  for (let run = 0; run < WARM_UP; run += 1) {
    await timeRun(quiet, expected);
  }
  const [alone, beside] = [newSamples(), newSamples()];
  const once = () => timeRun(quiet, expected);
  const over = await runOnce(quiet, expected, POLL_MS);
  // In blocks, so that other load on the machine affects both alike.
  for (let block = 0; block < BLOCKS; block += 1) {
    await sample(alone, workerd, once, () => quiet.poll(over));
    const keeping = await keepContended(crowd, crowding);
    if (block % 2 === 1) {
      await new Promise((resolve) => setTimeout(resolve, HEAD_START_MS));
      await keeping.check();
    }
    await sample(beside, workerd, once, () => keeping.check());
    await keeping.end();
  }
  const fewest = Math.min(alone.ms.length, beside.ms.length);
  if (fewest < SAMPLES_MIN) {
    throw new Error(
      `${fewest} ${what} are too few for a 99th percentile: it needs ${SAMPLES_MIN}.`,
    );
  }
  const at = (fraction: number) => ({
    alone: quantile(alone.ms, fraction),
    beside: quantile(beside.ms, fraction),
  });
  const [p50, p99] = [at(0.5), at(0.99)];
  return {
    name: `${what} of a tenant while another runs ${neighbour.name}: 99th percentile`,
    unit: "ms",
    ours: { ...spread(beside.ms), median: p99.beside, low: p99.beside, high: p99.beside },
    beside: [
      {
        name: "alone",
        value: { ...spread(alone.ms), median: p99.alone, low: p99.alone, high: p99.alone },
      },
    ],
    targets: [atMost("p99 ≤ 2 × alone", p99.beside / p99.alone, 2)],
    note: `closed loop of one client; ${alone.ms.length} runs alone, ${beside.ms.length} beside; medians ${p50.alone.toFixed(1)} and ${p50.beside.toFixed(1)} ms; 99th percentiles of the processor time that workerd had meanwhile ${quantile(alone.processorMs, 0.99).toFixed(1)} and ${quantile(beside.processorMs, 0.99).toFixed(1)} ms`,
  };
}

/**
 * The duration of each run, and the processor time of workerd meanwhile, for all tenants. The latter is nearly
 * independent of other load on the machine.
 */
interface Samples {
  readonly ms: number[];
  readonly processorMs: number[];
}

function newSamples(): Samples {
  return { ms: [], processorMs: [] };
}

async function sample(
  into: Samples,
  workerd: number,
  take: () => Promise<number>,
  look: () => Promise<unknown>,
): Promise<void> {
  const endMs = performance.now() + BLOCK_MS;
  let lookedMs = performance.now();
  for (let taken = 0; taken < BLOCK_SAMPLES && performance.now() < endMs; taken += 1) {
    const beforeUs = await processorTimeUs(workerd);
    into.ms.push(await take());
    into.processorMs.push(((await processorTimeUs(workerd)) - beforeUs) / 1000);
    if (performance.now() - lookedMs > LOOK_MS) {
      lookedMs = performance.now();
      await look();
    }
  }
}

/** Keeps a crowding run under way; starts the next one when it ends. */
async function keepContended(crowd: Contender, client: ApiClient) {
  let started = await crowd.start();
  const isOver = async () => (await state(started.pollUrl, client)).isOver;
  // Skips its first moments, when it only writes its items.
  while ((await state(started.pollUrl, client)).progress === 0) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return {
    async check() {
      if (await isOver()) {
        started = await crowd.start();
      }
    },
    async end() {
      await httpCall("POST", `${started.pollUrl}/cancel`, { headers: await auth(client) });
      while (!(await isOver())) {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
  };
}

async function state(pollUrl: string, client: ApiClient) {
  const response = await httpCall("GET", pollUrl, { headers: await auth(client) });
  const run = JSON.parse(response.text) as { status: string; progress: number };
  if (run.status === "failed") {
    throw new Error(`The crowding run failed: ${response.text.slice(0, 500)}`);
  }
  return {
    isOver: !["pending", "running", "cancelling"].includes(run.status),
    progress: run.status === "running" ? run.progress : 100,
  };
}

async function auth(client: ApiClient): Promise<Record<string, string>> {
  return { authorization: `Bearer ${await client.token()}` };
}
