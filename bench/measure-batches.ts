import type { RunningService } from "../test/support/node/start-service.ts";
import {
  BATCH_MAX_MS,
  batchToEnd,
  bodyOf,
  type Caller,
  callerOf,
  cancelled,
  CLIENTS,
  commas,
  EVICTED_AFTER_MS,
  loopOf,
  pause,
  POLL_MS,
  post,
  singlesToEnd,
  TEXT_CHARS,
} from "./batch-calls.ts";
import { closedLoop } from "./closed-loop.ts";
import { peer, timeRun } from "./contenders.ts";
import { installedEngines } from "./external-engines.ts";
import { atMost, type Figure } from "./figure.ts";
import { httpCall } from "./http-call.ts";
import { type Parts, roundsOfSides } from "./parts.ts";
import { processorTimeUs } from "./processor-time.ts";
import { type RunningEngine, startEngine } from "./start-engine.ts";
import type { Peers } from "./start-peers.ts";
import { median, spread } from "./statistics.ts";

export interface BatchOptions {
  readonly items?: number;
  readonly rounds?: number;
  /** Instances of Cloudflare Workflows: on a disk, its local engine takes 25 ms for each. */
  readonly instances?: number;
  /** Time after which objects without a call are evicted. */
  readonly evictedAfterMs?: number;
  /** Folder of other engines, which are measured if it is given and they are installed. */
  readonly engines?: string;
}

/** Bare objects and instances of Cloudflare Workflows that are created without a pause. */
const PART = 5_000;
const WORKFLOWS_MAX_MS = 400_000;

const [OF_SINGLES, OF_THEIR_CPU, OF_BARE, OF_A_TENTH] = [0.7, 0.6, 1.6, 11] as const;
const CREATED_MS = 1_500;

/** Milliseconds, and of the service also the processor time of its workerd. */
interface Cost {
  readonly ms: number;
  readonly cpuMs?: number;
}

/**
 * Batches of one-step runs, beside single submits, bare objects, a batch of Cloudflare Workflows and the bulk calls of other
 * engines; and how soon a creation is answered.
 */
export async function measureBatches(
  service: RunningService,
  peers: Peers,
  parts: Parts,
  options: BatchOptions = {},
): Promise<readonly Figure[]> {
  const { items = 10_000, rounds = 5 } = options;
  const { evictedAfterMs = EVICTED_AFTER_MS } = options;
  await parts.take("batches to their end", () =>
    measureToEnd(service, peers, parts, { ...options, items, rounds, evictedAfterMs }),
  );
  await parts.take("creation of a batch", async () =>
    measureCreation(await callerOf(service.client), items, rounds),
  );
  // Each part is among `parts` already.
  return [];
}

type Sized = BatchOptions & Required<Pick<BatchOptions, "items" | "rounds" | "evictedAfterMs">>;

async function measureToEnd(
  service: RunningService,
  peers: Peers,
  parts: Parts,
  { items, rounds, instances = 1_000, evictedAfterMs, engines: directory }: Sized,
): Promise<Figure[]> {
  const caller = await callerOf(service.client);
  const workerd = await service.workerdPid();
  const few = Math.ceil(items / 10);
  const { engines, missing } = await started(directory, parts);
  // What a side leaves is evicted before the next one; in the round that warms up, only after the last side that leaves objects.
  const restMs = (isWarmUp: boolean) => (isWarmUp ? 0 : evictedAfterMs);
  const costOf = async (isWarmUp: boolean, work: () => Promise<unknown>): Promise<Cost> => {
    const [startedAt, cpuUs] = [performance.now(), await processorTimeUs(workerd)];
    await work();
    const ms = performance.now() - startedAt;
    const cpuMs = ((await processorTimeUs(workerd)) - cpuUs) / 1_000;
    await pause(restMs(isWarmUp));
    return { ms, cpuMs };
  };
  const inParts = async (
    count: number,
    rest: number,
    work: (count: number) => Promise<unknown>,
  ): Promise<Cost> => ({ ms: await timeInParts(count, rest, work) });
  const names = {
    batch: `a batch of ${commas(items)}`,
    tenth: `a batch of ${commas(few)}`,
    single: `as many single submits by ${CLIENTS} clients`,
    bare: "as many bare objects, created by their Worker",
    remote: `bare objects, created by ${CLIENTS} clients`,
    workflows: `Cloudflare Workflows, createBatch() of ${commas(instances)}`,
  };
  const size = (isWarmUp: boolean, whole = items) => (isWarmUp ? Math.ceil(whole / 10) : whole);
  const sides: Record<string, (isWarmUp: boolean) => Promise<Cost>> = {
    [names.tenth]: (isWarmUp) => costOf(isWarmUp, () => batchToEnd(caller, few)),
    [names.batch]: (isWarmUp) => costOf(isWarmUp, () => batchToEnd(caller, size(isWarmUp))),
    [names.single]: (isWarmUp) => costOf(isWarmUp, () => singlesToEnd(caller, size(isWarmUp))),
    [names.bare]: (isWarmUp) =>
      inParts(size(isWarmUp), restMs(isWarmUp), (count) =>
        created(`${peers.bareUrl}/many?n=${count}`, 200),
      ),
    [names.remote]: (isWarmUp) =>
      inParts(size(isWarmUp), restMs(isWarmUp), (count) =>
        closedLoop(() => created(`${peers.bareUrl}/new`, 202), loopOf(count)),
      ),
    [names.workflows]: (isWarmUp) =>
      inParts(size(isWarmUp, instances), evictedAfterMs, (count) => workflowsToEnd(peers, count)),
    ...Object.fromEntries(
      engines.map((running) => [
        running.engine.name,
        (isWarmUp: boolean) => engineToEnd(running, size(isWarmUp)),
      ]),
    ),
  };
  const samples = await roundsOfSides(rounds, sides, parts).finally(() =>
    Promise.all(engines.map((running) => running.stop())),
  );
  const others = [names.workflows, ...engines.map(({ engine }) => engine.name)];
  return figuresOf(samples, { ...names, others, items, missing });
}

interface Compared {
  readonly batch: string;
  readonly tenth: string;
  readonly single: string;
  readonly bare: string;
  readonly remote: string;
  readonly others: readonly string[];
  readonly items: number;
  /** Engines that are not installed. */
  readonly missing: readonly string[];
}

/** A side without a sample is left out; a target that compares with it is not met. */
function figuresOf(samples: Readonly<Record<string, Cost[]>>, given: Compared): Figure[] {
  const { batch, tenth, single, bare, remote, others } = given;
  const name = `batch of ${commas(given.items)} one-step items`;
  const ms = (side: string) => (samples[side] ?? []).map((cost) => cost.ms);
  const cpu = (side: string) => (samples[side] ?? []).map((cost) => cost.cpuMs ?? Number.NaN);
  const seconds = (times: readonly number[]) => spread(times.map((time) => time / 1_000));
  const middle = (times: readonly number[]) => (times.length === 0 ? Number.NaN : median(times));
  const floor = Math.min(middle(ms(bare)), middle(ms(remote)));
  const time = middle(ms(batch));
  const shown = (sides: readonly string[], of: (side: string) => number[]) =>
    sides
      .filter((side) => of(side).length > 0)
      .map((side) => ({ name: side, value: seconds(of(side)) }));
  return [
    {
      name: `${name}, creation to its end`,
      unit: "s",
      ours: seconds(ms(batch)),
      beside: shown([single, bare, remote, tenth, ...others], ms),
      targets: [
        atMost(`≤ ${OF_SINGLES} × single submits`, time / middle(ms(single)), OF_SINGLES),
        atMost(`≤ ${OF_BARE} × bare objects, the faster ones`, time / floor, OF_BARE),
        atMost(`≤ ${OF_A_TENTH} × a batch of a tenth`, time / middle(ms(tenth)), OF_A_TENTH),
      ],
      note: [
        "each other engine is given as many jobs in its own bulk call, those of Cloudflare Workflows in parts of 100",
        ...(given.missing.length === 0 ? [] : [`not installed: ${given.missing.join(", ")}`]),
      ].join("; "),
    },
    {
      name: `${name}, processor time of the service`,
      unit: "s",
      ours: seconds(cpu(batch)),
      beside: shown([single], cpu),
      targets: [
        atMost(
          `≤ ${OF_THEIR_CPU} × single submits`,
          middle(cpu(batch)) / middle(cpu(single)),
          OF_THEIR_CPU,
        ),
      ],
    },
  ];
}

/** The other engines with a bulk call that are installed. One that does not start is a failed part. */
async function started(directory: string | undefined, parts: Parts) {
  const engines: RunningEngine[] = [];
  if (directory === undefined) {
    return { engines, missing: [] };
  }
  const { installed, missing } = installedEngines("batches");
  for (const engine of installed) {
    try {
      engines.push(await startEngine(engine, `${directory}/${engine.id}`));
    } catch (error) {
      parts.fail(engine.name, error);
    }
  }
  return { engines, missing };
}

async function engineToEnd({ engine, baseUrl }: RunningEngine, jobs: number): Promise<Cost> {
  const contender = peer(engine.name, baseUrl, `/batch?n=${jobs}`);
  const limits = { effects: jobs, pollMs: POLL_MS, maxMs: BATCH_MAX_MS };
  return { ms: await timeRun(contender, jobs, limits) };
}

/** The answer to a creation with items in its body; the batch is then cancelled. */
async function measureCreation(caller: Caller, items: number, rounds: number): Promise<Figure> {
  const body = bodyOf(caller, items, "x".repeat(TEXT_CHARS));
  const times: number[] = [];
  for (let round = -1; round < rounds; round += 1) {
    const startedAt = performance.now();
    const { id } = await post(caller, "", body);
    const ms = performance.now() - startedAt;
    await cancelled(caller, id);
    if (round >= 0) {
      times.push(ms);
    }
  }
  return {
    name: `creation of a batch of ${commas(items)} items, ${(body.length / 1e6).toFixed(1)} MB, until its answer`,
    unit: "ms",
    ours: spread(times),
    beside: [],
    targets: [atMost(`≤ ${CREATED_MS} ms`, median(times), CREATED_MS)],
  };
}

/**
 * Milliseconds of the work on all of them, in parts. After each part, its objects are evicted and their files closed: an object has
 * files open for ten seconds after its last call, and these are created so fast that the process would run out of them.
 */
async function timeInParts(
  count: number,
  evictedAfterMs: number,
  work: (count: number) => Promise<unknown>,
): Promise<number> {
  let ms = 0;
  for (let left = count; left > 0; left -= PART) {
    const startedAt = performance.now();
    await work(Math.min(PART, left));
    ms += performance.now() - startedAt;
    await pause(evictedAfterMs);
  }
  return ms;
}

/** Until each instance has made its step, as the step itself counts. */
async function workflowsToEnd({ workflowsUrl }: Peers, instances: number): Promise<void> {
  const deadline = performance.now() + WORKFLOWS_MAX_MS;
  const { id } = JSON.parse(await created(`${workflowsUrl}/batch?n=${instances}&steps=1`, 202)) as {
    id: string;
  };
  for (;;) {
    const { text } = await httpCall("GET", `${workflowsUrl}/?batch=${id}`);
    const { effects } = JSON.parse(text) as { effects: number };
    if (effects === instances) {
      return;
    }
    if (performance.now() > deadline) {
      throw new Error(`Cloudflare Workflows made ${effects} of ${instances} steps.`);
    }
    await pause();
  }
}

async function created(url: string, expected: number): Promise<string> {
  const { status, text } = await httpCall("POST", url);
  if (status !== expected) {
    throw new Error(`${url} returned ${status}: ${text}`);
  }
  return text;
}
