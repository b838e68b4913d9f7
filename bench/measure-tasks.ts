import type { RunningService } from "../test/support/node/start-service.ts";
import { checkedCodes, codes } from "./bench-workflows.ts";
import { type Contender, edgeloom, peer, timeRun } from "./contenders.ts";
import { atLeast, type Figure } from "./figure.ts";
import { processorTimeUs } from "./processor-time.ts";
import type { Peers } from "./start-peers.ts";
import { spread } from "./statistics.ts";

export interface TasksOptions {
  readonly items?: number;
  readonly warmUpItems?: number;
}

/** Polls are few, since each takes the thread that draws. */
const POLL_EVERY_MS = 100;

/**
 * Task steps a second in one run of 10,000 QR codes, from the POST to its end: each drawn and read
 * back, without and with its picture stored; beside a bare object that gets as many messages back
 * from a queue and draws nothing.
 */
export async function measureTasks(
  service: RunningService,
  peers: Peers,
  { items = 10_000, warmUpItems = 200 }: TasksOptions = {},
): Promise<Figure[]> {
  const workerd = await service.workerdPid();
  const bare = peer("bare object", peers.bareUrl, `/tasks?n=${items}`);
  const floorMs = await timeRun(bare, items, { effects: items, pollMs: POLL_EVERY_MS });
  const beside = [
    {
      name: "bare object and queue, 100 messages a call, nothing drawn",
      value: spread([perSecond(items, floorMs)]),
    },
  ];
  const checked = await timeTasks(workerd, items, warmUpItems, {
    contender: (count) => edgeloom(service.client, checkedCodes(count)),
    expected: String,
  });
  const stored = await timeTasks(workerd, items, warmUpItems, {
    contender: async (count) => withAddressOnly(await edgeloom(service.client, codes(count))),
    expected: () => "string",
  });
  const name = `task steps in one run of ${items.toLocaleString("en-US")} QR codes`;
  return [
    figureOf(`${name}, each drawn and read back`, items, checked, beside),
    figureOf(`${name}, each drawn, read back and stored`, items, stored, beside),
  ];
}

interface TimedTasks {
  readonly ms: number;
  readonly processorMs: number;
}

interface TaskRuns {
  readonly contender: (items: number) => Promise<Contender>;
  readonly expected: (items: number) => string;
}

async function timeTasks(
  workerd: number,
  items: number,
  warmUpItems: number,
  { contender, expected }: TaskRuns,
): Promise<TimedTasks> {
  // Of each item its text, inline, and its code.
  const time = async (count: number) =>
    timeRun(await contender(count), expected(count), {
      effects: 2 * count,
      pollMs: POLL_EVERY_MS,
    });
  await time(warmUpItems);
  const beforeUs = await processorTimeUs(workerd);
  const ms = await time(items);
  const spentUs = (await processorTimeUs(workerd)) - beforeUs;
  return { ms, processorMs: spentUs / 1000 / items };
}

function figureOf(
  name: string,
  items: number,
  { ms, processorMs }: TimedTasks,
  beside: Figure["beside"],
): Figure {
  const rate = perSecond(items, ms);
  return {
    workload: "sustained",
    name,
    unit: "a second",
    ours: spread([rate]),
    beside,
    targets: [atLeast("≥ 1,000", rate, 1_000)],
    note: `${processorMs.toFixed(2)} ms of processor time of workerd for each`,
  };
}

/** The bytes of its pictures are not what is measured; that there is an address is. */
function withAddressOnly(contender: Contender): Contender {
  return {
    ...contender,
    fetchOutput: (value) => Promise.resolve(typeof (value as { url?: unknown }).url),
  };
}

function perSecond(items: number, ms: number): number {
  return (items * 1000) / ms;
}
