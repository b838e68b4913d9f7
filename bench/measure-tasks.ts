import type { RunningService } from "../test/support/node/start-service.ts";
import { checkedCodes, codes } from "./bench-workflows.ts";
import { type Contender, edgeloom, peer, timeRun } from "./contenders.ts";
import { atLeast, type Figure } from "./figure.ts";
import { processorTimeUs } from "./processor-time.ts";
import type { Peers } from "./start-peers.ts";
import { type Spread, spread } from "./statistics.ts";

export interface TasksOptions {
  readonly items?: number;
  readonly warmUpItems?: number;
}

/** Few polls, since each takes time of the thread that draws. */
export const POLL_EVERY_MS = 100;

/** Size of a QR code of 64 px as a PNG. */
export const PICTURE_BYTES = 220;

/**
 * Task steps a second in one run of 10,000 QR codes, from the POST to its end: each drawn and read back, without and
 * with its picture stored. Beside a bare object that receives as many messages from a queue and draws nothing, without
 * and with as many files stored: the local R2 is an emulator on the same thread.
 */
export async function measureTasks(
  service: RunningService,
  peers: Peers,
  { items = 10_000, warmUpItems = 200 }: TasksOptions = {},
): Promise<Figure[]> {
  const workerd = await service.workerdPid();
  const checked = await timeTasks(workerd, items, warmUpItems, {
    contender: (count) => edgeloom(service.client, checkedCodes(count)),
    expected: String,
  });
  const stored = await timeTasks(workerd, items, warmUpItems, {
    contender: async (count) => withAddressOnly(await edgeloom(service.client, codes(count))),
    expected: () => "string",
  });
  const name = `task steps in one run of ${items.toLocaleString("en-US")} QR codes`;
  const storedFigure = figureOf(`${name}, each drawn, read back and stored`, items, stored, {
    name: `bare object, queue and a file of ${PICTURE_BYTES} bytes for each, nothing drawn`,
    value: await floor(peers, items, PICTURE_BYTES),
  });
  return [
    {
      ...figureOf(`${name}, each drawn and read back`, items, checked, {
        name: "bare object and queue, 100 messages a call, nothing drawn",
        value: await floor(peers, items, 0),
      }),
      targets: [atLeast("≥ 1,000", perSecond(items, checked.ms), 1_000)],
    },
    {
      ...storedFigure,
      beside: [
        { name: "drawn and read back, not stored", value: spread([perSecond(items, checked.ms)]) },
        ...storedFigure.beside,
      ],
      targets: [
        atLeast("≥ 1,100", perSecond(items, stored.ms), 1_100),
        atLeast("≥ 0.75 × not stored", checked.ms / stored.ms, 0.75),
      ],
    },
  ];
}

/** Messages a second that a bare object receives from a queue, each with a stored file of this size. */
async function floor(peers: Peers, items: number, bytes: number): Promise<Spread> {
  const bare = (count: number) =>
    timeRun(peer("bare object", peers.bareUrl, `/tasks?n=${count}&bytes=${bytes}`), count, {
      effects: count,
      pollMs: POLL_EVERY_MS,
    });
  await bare(Math.ceil(items / 10));
  return spread([perSecond(items, await bare(items))]);
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
  // Two outputs per item: its text, inline, and its code.
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
  beside: Figure["beside"][number],
): Figure {
  return {
    workload: "sustained",
    name,
    unit: "a second",
    ours: spread([perSecond(items, ms)]),
    beside: [beside],
    targets: [],
    note: `${processorMs.toFixed(2)} ms of processor time of workerd for each`,
  };
}

/** The bytes of its pictures are not measured; only the addresses are checked. */
export function withAddressOnly(contender: Contender): Contender {
  return {
    ...contender,
    fetchOutput: (value) => Promise.resolve(typeof (value as { url?: unknown }).url),
  };
}

function perSecond(items: number, ms: number): number {
  return (items * 1000) / ms;
}
