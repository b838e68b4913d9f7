import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type RunningService, startService } from "../test/support/node/start-service.ts";
import { checkedCodes, codes } from "./bench-workflows.ts";
import { checkEffects, type Contender, edgeloom, peer, runOnce } from "./contenders.ts";
import { atMost, type Figure } from "./figure.ts";
import { PICTURE_BYTES, POLL_EVERY_MS, withAddressOnly } from "./measure-tasks.ts";
import { processorTimeUs } from "./processor-time.ts";
import { type Peers, startPeers } from "./start-peers.ts";
import { median, spread } from "./statistics.ts";

export interface TaskCostOptions {
  readonly items?: number;
  readonly rounds?: number;
  readonly warmUpItems?: number;
}

/** A run has written everything when nothing was written for this time. */
const SETTLE_MS = 300;
const SETTLE_TRIES = 40;

/** What a process has used, or a task of it. */
interface Cost {
  /** Bytes that it caused to be written to disk, in whole pages of the file system. */
  readonly diskBytes: number;
  readonly processorUs: number;
}

/** One way to process tasks: the run of `items` of them, which must make `effects` steps and return `expected`. */
interface Work {
  readonly start: (items: number) => Promise<Contender>;
  readonly expected: (items: number) => unknown;
  readonly effectsOfItem: number;
  readonly pids: readonly number[];
}

/**
 * What a task of a run of 1,500 QR codes costs: bytes that workerd writes to disk, and its processor time. Beside a bare
 * object that receives as many messages from a queue and draws nothing; for stored pictures with a file for each message.
 * In both workerds are the emulators of R2 and of the queue. Throws if the folder is not on a disk.
 */
export async function measureTaskCosts(
  directory: string,
  options: TaskCostOptions = {},
): Promise<Figure[]> {
  const peers = await startPeers(join(directory, "peers"));
  try {
    const service = await startService({ directory: join(directory, "service") });
    try {
      return await measure(service, peers, options);
    } finally {
      await service.stop();
    }
  } finally {
    await peers.stop();
  }
}

async function measure(
  service: RunningService,
  peers: Peers,
  { items = 1_500, rounds = 3, warmUpItems = 200 }: TaskCostOptions,
): Promise<Figure[]> {
  const { client } = service;
  const ours = { effectsOfItem: 2, pids: [await service.workerdPid()] };
  // Those of the other two peers are idle.
  const bare = await peers.workerdPids();
  const floor = (bytes: number): Work => ({
    start: async (count) =>
      peer("bare object", peers.bareUrl, `/tasks?n=${count}&bytes=${String(bytes)}`),
    expected: (count) => count,
    effectsOfItem: 1,
    pids: bare,
  });
  const works = {
    checked: { ...ours, start: (count) => edgeloom(client, checkedCodes(count)), expected: String },
    stored: {
      ...ours,
      start: async (count) => withAddressOnly(await edgeloom(client, codes(count))),
      expected: () => "string",
    },
    received: floor(0),
    filed: floor(PICTURE_BYTES),
  } satisfies Record<string, Work>;
  const costs = await interleaveCosts(rounds, works, items, warmUpItems);
  const task = `a task of a run of ${items.toLocaleString("en-US")} QR codes, drawn and read back`;
  const [checked, stored] = [`${task}, no picture`, `${task}, its picture stored`];
  const message = "bare object and queue, nothing drawn";
  const file = `bare object, queue and a file of ${String(PICTURE_BYTES)} bytes, nothing drawn`;
  return [
    figureOf(DISK, checked, costs.checked, { name: message, costs: costs.received }, 11.3),
    figureOf(DISK, stored, costs.stored, { name: file, costs: costs.filed }, 51.2),
    figureOf(PROCESSOR, checked, costs.checked, { name: message, costs: costs.received }, 1.19),
    figureOf(PROCESSOR, stored, costs.stored, { name: file, costs: costs.filed }, 5.69),
  ];
}

/** Runs each work once in every round, after a small run of it; returns what a task of each cost, by round. */
async function interleaveCosts<Name extends string>(
  rounds: number,
  works: Readonly<Record<Name, Work>>,
  items: number,
  warmUpItems: number,
): Promise<Record<Name, Cost[]>> {
  const costs: Partial<Record<Name, Cost[]>> = {};
  const prepared: { readonly costs: Cost[]; readonly run: () => Promise<Cost> }[] = [];
  for (const name in works) {
    const work = works[name];
    await costOfTask(await work.start(warmUpItems), work, warmUpItems);
    const contender = await work.start(items);
    const list: Cost[] = [];
    costs[name] = list;
    prepared.push({ costs: list, run: () => costOfTask(contender, work, items) });
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const work of prepared) {
      work.costs.push(await work.run());
    }
  }
  // Each name of `works` has its list by now.
  return costs as Record<Name, Cost[]>;
}

/** The cost of one task. Throws for a wrong output or number of steps, and if no byte was written to a disk. */
async function costOfTask(contender: Contender, work: Work, items: number): Promise<Cost> {
  const { expected, effectsOfItem, pids } = work;
  const before = await settled(pids);
  const started = await runOnce(contender, expected(items), POLL_EVERY_MS);
  const after = await settled(pids);
  await checkEffects(contender, started, effectsOfItem * items);
  if (after.diskBytes === before.diskBytes) {
    throw new Error(
      `The system counts no bytes that ${contender.name} writes to disk: measure with TMPDIR on a disk.`,
    );
  }
  return {
    diskBytes: (after.diskBytes - before.diskBytes) / items,
    processorUs: (after.processorUs - before.processorUs) / items,
  };
}

/** What the processes have used when they write nothing any more. */
async function settled(pids: readonly number[]): Promise<Cost> {
  let last = await usedBy(pids);
  for (let tries = 0; tries < SETTLE_TRIES; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    const now = await usedBy(pids);
    if (now.diskBytes === last.diskBytes) {
      return now;
    }
    last = now;
  }
  throw new Error(`A process still writes after ${String(SETTLE_TRIES * SETTLE_MS)} ms.`);
}

async function usedBy(pids: readonly number[]): Promise<Cost> {
  const used = await Promise.all(
    pids.map(async (pid) => {
      const io = await readFile(`/proc/${String(pid)}/io`, "utf8");
      const written = /^write_bytes: (\d+)$/m.exec(io)?.[1];
      if (written === undefined) {
        throw new Error(`/proc/${String(pid)}/io has no write_bytes.`);
      }
      return { diskBytes: Number(written), processorUs: await processorTimeUs(pid) };
    }),
  );
  return {
    diskBytes: used.reduce((sum, { diskBytes }) => sum + diskBytes, 0),
    processorUs: used.reduce((sum, { processorUs }) => sum + processorUs, 0),
  };
}

/** A kind of cost in its unit. */
interface Kind {
  readonly title: string;
  readonly unit: string;
  readonly of: (cost: Cost) => number;
}
const DISK: Kind = {
  title: "written to disk",
  unit: "KB",
  of: ({ diskBytes }) => diskBytes / 1_000,
};
const PROCESSOR: Kind = {
  title: "processor time of workerd",
  unit: "ms",
  of: ({ processorUs }) => processorUs / 1_000,
};

/** `limit`: the figure of 2026-11-20 at commit 1f2a87b (docs/scaling.md), the smaller of two medians. */
function figureOf(
  { title, unit, of }: Kind,
  name: string,
  ours: readonly Cost[],
  beside: { readonly name: string; readonly costs: readonly Cost[] },
  limit: number,
): Figure {
  const samples = ours.map(of);
  return {
    workload: "sustained",
    name: `${name}: ${title}`,
    unit,
    ours: spread(samples),
    beside: [{ name: beside.name, value: spread(beside.costs.map(of)) }],
    targets: [atMost(`≤ ${String(limit)} ${unit}, as on 2026-11-20`, median(samples), limit)],
  };
}
