import type { ApiClient } from "../scripts/api-client.ts";
import { publish } from "../scripts/provision.ts";
import type { RunningService } from "../test/support/node/start-service.ts";
import { chain } from "./bench-workflows.ts";
import { closedLoop } from "./closed-loop.ts";
import { atMost, type Figure } from "./figure.ts";
import { httpCall } from "./http-call.ts";
import { openLoop } from "./open-loop.ts";
import { processorTimeUs } from "./processor-time.ts";
import type { Peers } from "./start-peers.ts";
import { median, quantile, spread, tail } from "./statistics.ts";

export interface BatchOptions {
  readonly items?: number;
  readonly rounds?: number;
  /** Instances of Cloudflare Workflows, whose local engine takes seconds for a hundred. */
  readonly instances?: number;
  /** Single submits of each side of the comparison beside a batch. */
  readonly singles?: number;
  /** Time after which objects without a call are evicted. */
  readonly evictedAfterMs?: number;
}

/** `invalid_state`. */
const ALREADY_ENDED = 422;
const CLIENTS = 8;
const BATCH_MAX_MS = 300_000;
const POLL_MS = 25;
/** Bare objects that are created without a pause. */
const PART = 5_000;
export const EVICTED_AFTER_MS = 11_000;
/** Characters of an item's text, with which 10,000 items are 4 MB. */
export const TEXT_CHARS = 330;
const SINGLES_A_SECOND = 20;

const [OF_SINGLES, OF_THEIR_CPU, OF_BARE, OF_A_TENTH] = [0.7, 0.6, 1.6, 11] as const;
const [CREATED_MS, OF_IDLE] = [1_500, 2] as const;

/** A workspace's batches of one-step runs. */
export interface Caller {
  readonly client: ApiClient;
  readonly headers: Readonly<Record<string, string>>;
  readonly workflow: string;
}

interface Batch {
  readonly id: string;
  readonly status: string;
  readonly completed_at: string | null;
  readonly completed: number;
}

/** Time and processor time of the service's workerd. */
interface Cost {
  readonly ms: number;
  readonly cpuMs: number;
}

/** Batches of one-step runs, beside single submits, bare objects and a batch of Cloudflare Workflows; and what they do to others. */
export async function measureBatches(
  service: RunningService,
  peers: Peers,
  options: BatchOptions = {},
): Promise<Figure[]> {
  const { items = 10_000, rounds = 5, instances = 500, singles = 400 } = options;
  const { evictedAfterMs = EVICTED_AFTER_MS } = options;
  const caller = await callerOf(service.client);
  const few = Math.ceil(items / 10);
  const workerd = await service.workerdPid();
  const costOf = async (work: () => Promise<unknown>): Promise<Cost> => {
    const [startedAt, cpuUs] = [performance.now(), await processorTimeUs(workerd)];
    await work();
    const ms = performance.now() - startedAt;
    return { ms, cpuMs: ((await processorTimeUs(workerd)) - cpuUs) / 1_000 };
  };
  const [whole, tenth, single] = [[] as Cost[], [] as Cost[], [] as Cost[]];
  const [bare, remote] = [[] as number[], [] as number[]];
  const bareOf = (count: number) => created(`${peers.bareUrl}/many?n=${count}`, 200);
  const remoteOf = (count: number) =>
    closedLoop(() => created(`${peers.bareUrl}/new`, 202), loopOf(count));
  for (let round = -1; round < rounds; round += 1) {
    // The first round only warms up.
    const count = round < 0 ? few : items;
    const measured = [
      await costOf(() => batchToEnd(caller, count)),
      await costOf(() => batchToEnd(caller, few)),
      await costOf(() => singlesToEnd(caller, count)),
      await timeInParts(count, evictedAfterMs, bareOf),
      await timeInParts(count, evictedAfterMs, remoteOf),
    ] as const;
    if (round >= 0) {
      whole.push(measured[0]);
      tenth.push(measured[1]);
      single.push(measured[2]);
      bare.push(measured[3]);
      remote.push(measured[4]);
    }
  }
  const workflows = [await workflowsToEnd(peers, instances)];
  const ms = (costs: readonly Cost[]) => costs.map((cost) => cost.ms);
  const cpu = (costs: readonly Cost[]) => costs.map((cost) => cost.cpuMs);
  const time = median(ms(whole));
  const floor = Math.min(median(bare), median(remote));
  const name = `batch of ${commas(items)} one-step items`;
  const seconds = (times: readonly number[]) => spread(times.map((one) => one / 1_000));
  return [
    {
      name: `${name}, creation to its end`,
      unit: "s",
      ours: seconds(ms(whole)),
      beside: [
        { name: `as many single submits by ${CLIENTS} clients`, value: seconds(ms(single)) },
        { name: "as many bare objects, created by their Worker", value: seconds(bare) },
        { name: `the same by ${CLIENTS} clients`, value: seconds(remote) },
        { name: `a batch of ${commas(few)}`, value: seconds(ms(tenth)) },
        {
          name: `Cloudflare Workflows, createBatch() of ${commas(instances)}`,
          value: seconds(workflows),
        },
      ],
      targets: [
        atMost(`≤ ${OF_SINGLES} × single submits`, time / median(ms(single)), OF_SINGLES),
        atMost(`≤ ${OF_BARE} × bare objects, the faster ones`, time / floor, OF_BARE),
        atMost(`≤ ${OF_A_TENTH} × a batch of a tenth`, time / median(ms(tenth)), OF_A_TENTH),
      ],
      note: "Cloudflare Workflows is measured once, and not by as many: each instance takes its local engine milliseconds",
    },
    {
      name: `${name}, processor time of the service`,
      unit: "s",
      ours: seconds(cpu(whole)),
      beside: [{ name: "as many single submits", value: seconds(cpu(single)) }],
      targets: [
        atMost(
          `≤ ${OF_THEIR_CPU} × single submits`,
          median(cpu(whole)) / median(cpu(single)),
          OF_THEIR_CPU,
        ),
      ],
    },
    await measureCreation(caller, items, rounds),
    await measureSingleBeside(caller, items, singles),
  ];
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

/** Single submits at a fixed rate, without anything else and while a batch runs. */
async function measureSingleBeside(caller: Caller, items: number, calls: number): Promise<Figure> {
  const { client, headers, workflow } = caller;
  const body = JSON.stringify({ workflow });
  const submit = async () => {
    const url = `${client.baseUrl}/api/v1/executions`;
    const { status, text } = await httpCall("POST", url, { headers, body });
    if (status !== 202) {
      throw new Error(`A submit returned ${status}: ${text}`);
    }
  };
  const submits = () => openLoop(submit, { perSecond: SINGLES_A_SECOND, calls });
  await submits();
  const idle = await submits();
  const beside: number[] = [];
  // As many batches as the submits take.
  for (let isOver = false; !isOver;) {
    let isBatch = true;
    const batch = batchToEnd(caller, items).finally(() => {
      isBatch = false;
    });
    for (; isBatch && beside.length < calls;) {
      beside.push(...(await openLoop(submit, { perSecond: SINGLES_A_SECOND, calls: 10 })));
    }
    await batch;
    isOver = beside.length >= calls;
  }
  const [p99, idleP99] = [quantile(beside, 0.99), quantile(idle, 0.99)];
  return {
    name: `p99 of a single submit beside a batch of ${commas(items)}, ${SINGLES_A_SECOND} a second`,
    unit: "ms",
    ours: tail(beside, 0.99),
    beside: [{ name: "without a batch", value: tail(idle, 0.99) }],
    targets: [atMost(`≤ ${OF_IDLE} × without`, p99 / idleP99, OF_IDLE)],
  };
}

/** A published workflow of one step, and what its batches are created with. */
export async function callerOf(client: ApiClient): Promise<Caller> {
  return {
    client,
    workflow: await publish(client, chain(1)),
    headers: {
      authorization: `Bearer ${await client.token()}`,
      "content-type": "application/json",
    },
  };
}

export function bodyOf({ workflow }: Caller, items: number, text = "", starts = true): string {
  const list = Array.from({ length: items }, (_, at) => itemOf(at, text));
  return JSON.stringify({ workflow, start: starts, items: list });
}

/** An item, which as a single submit has the same members. */
function itemOf(at: number, text = "") {
  return {
    client_reference: `${at}${text.slice(0, 200)}`,
    inputs: { start: { value: `${at}${" ".repeat(Math.max(0, text.length - 200))}` } },
  };
}

/** Creates a batch and waits until all its items have completed; throws otherwise. */
export async function batchToEnd(caller: Caller, items: number): Promise<void> {
  const { id } = await post(caller, "", bodyOf(caller, items));
  const { status, completed } = await ended(caller, id);
  if (status !== "completed" || completed !== items) {
    throw new Error(`${completed} of ${items} items completed: the measurement is discarded.`);
  }
}

/** Until the last of them has ended. */
export async function singlesToEnd(
  { client, headers, workflow }: Caller,
  items: number,
  words = "",
): Promise<void> {
  const url = `${client.baseUrl}/api/v1/executions`;
  const runs: string[] = [];
  let at = 0;
  await closedLoop(async () => {
    const body = JSON.stringify({ workflow, ...itemOf(at++, words) });
    const { status, text } = await httpCall("POST", url, { headers, body });
    if (status !== 202) {
      throw new Error(`A submit returned ${status}: ${text}`);
    }
    runs.push((JSON.parse(text) as { id: string }).id);
  }, loopOf(items));
  const { length } = runs;
  // They end in about the order of their submits: the last ones are asked until they have.
  for (const run of runs.slice(-CLIENTS)) {
    for (;;) {
      const { text } = await httpCall("GET", `${url}/${run}`, { headers });
      const { status } = JSON.parse(text) as { status: string };
      if (status === "completed") {
        break;
      }
      await pause();
    }
  }
  if (length !== items) {
    throw new Error(`${length} of ${items} runs were submitted: the measurement is discarded.`);
  }
}

/**
 * Milliseconds of the work on all of them, in parts. After each part, its objects are evicted and their files closed: an object has
 * files open for ten seconds after its last call, and bare ones are created so fast that the process would run out of them.
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
    await new Promise((resolve) => setTimeout(resolve, evictedAfterMs));
  }
  return ms;
}

const loopOf = (items: number) => ({ clients: CLIENTS, starts: items, forMs: Infinity });

/** Milliseconds until each instance has made its step, as the step itself counts. */
async function workflowsToEnd({ workflowsUrl }: Peers, instances: number): Promise<number> {
  const startedAt = performance.now();
  const { id } = JSON.parse(await created(`${workflowsUrl}/batch?n=${instances}&steps=1`, 202)) as {
    id: string;
  };
  for (;;) {
    const { text } = await httpCall("GET", `${workflowsUrl}/?batch=${id}`);
    const { effects } = JSON.parse(text) as { effects: number };
    if (effects === instances) {
      return performance.now() - startedAt;
    }
    if (performance.now() - startedAt > BATCH_MAX_MS) {
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

export async function post(
  { client, headers }: Caller,
  path: string,
  body: string,
): Promise<Batch> {
  const url = `${client.baseUrl}/api/v1/batch-executions${path}`;
  const { status, text } = await httpCall("POST", url, { headers, body });
  if (status >= 300) {
    throw new Error(`${path} returned ${status}: ${text.slice(0, 300)}`);
  }
  return JSON.parse(text) as Batch;
}

/** Cancels a batch, unless it has ended: a small one may be that quick. */
export async function cancelled(caller: Caller, id: string): Promise<void> {
  const { client, headers } = caller;
  const url = `${client.baseUrl}/api/v1/batch-executions/${id}/cancel`;
  const { status, text } = await httpCall("POST", url, { headers, body: "" });
  if (status >= 300 && status !== ALREADY_ENDED) {
    throw new Error(`The cancellation returned ${status}: ${text.slice(0, 300)}`);
  }
  await ended(caller, id);
}

export async function ended({ client, headers }: Caller, id: string): Promise<Batch> {
  const url = `${client.baseUrl}/api/v1/batch-executions/${id}`;
  for (const deadline = performance.now() + BATCH_MAX_MS; performance.now() < deadline;) {
    const { text } = await httpCall("GET", url, { headers });
    const batch = JSON.parse(text) as Batch;
    if (batch.completed_at !== null) {
      return batch;
    }
    await pause();
  }
  throw new Error(`A batch did not end within ${BATCH_MAX_MS} ms.`);
}

function pause(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, POLL_MS);
  });
}

function commas(count: number): string {
  return count.toLocaleString("en-US");
}
