import type { ApiClient } from "../scripts/api-client.ts";
import { publish } from "../scripts/provision.ts";
import type { CacheOptions } from "../src/contracts/runs/cache-options.ts";
import { type Execution, isTerminal } from "../src/contracts/runs/run.ts";
import { atMost, type Figure } from "./figure.ts";
import { median, spread } from "./statistics.ts";

export interface ReuseOptions {
  /** Elements of the runs that are compared. */
  readonly items?: number;
  /** Elements of the run that is submitted again as a whole. */
  readonly wholeItems?: number;
  readonly warmUpItems?: number;
  readonly rounds?: number;
}

const POLL_EVERY_MS = 20;
const RUN_MAX_MS = 300_000;
/** Results are kept after they were reported. */
const KEPT_MAX_MS = 30_000;
const [HIT_MAX, ON_MAX, WHOLE_MAX_S] = [0.3, 1.15, 1] as const;
/** Pixels of a picture whose code is drawn and read back in about five milliseconds. */
const FIVE_MS_SIZE = 512;
const SMALL_SIZE = 64;

interface Ended {
  readonly ms: number;
  readonly reused: number;
  readonly credits: number;
}

/** Runs that take results from the result cache, beside the same runs that work everything out. */
export async function measureReuse(
  client: ApiClient,
  { items = 1_000, wholeItems = 10_000, warmUpItems = 100, rounds = 5 }: ReuseOptions = {},
): Promise<Figure[]> {
  const [slow, quick] = [await codes(client, FIVE_MS_SIZE), await codes(client, SMALL_SIZE)];
  await compared(client, slow, "warm-up", warmUpItems);
  const [off, on, hit, whole] = [[] as Ended[], [] as Ended[], [] as Ended[], [] as Ended[]];
  for (let round = 0; round < rounds; round += 1) {
    const measured = await compared(client, slow, `round ${round}`, items);
    off.push(measured.off);
    on.push(measured.on);
    hit.push(measured.hit);
  }
  const all = texts("whole", wholeItems);
  const first = await kept(client, () => runToEnd(client, quick, all, "read_write"), wholeItems);
  expectReused(first, 0);
  for (let round = 0; round < rounds; round += 1) {
    const again = await runToEnd(client, quick, all, "read_write");
    expectReused(again, wholeItems);
    whole.push(again);
  }
  const seconds = (runs: readonly Ended[]) => runs.map(({ ms }) => ms / 1_000);
  const each = (runs: readonly Ended[]) => runs.map(({ ms }) => ms / items);
  const time = (runs: readonly Ended[]) => median(seconds(runs));
  const credits = Math.max(...whole.map((run) => run.credits));
  const codesOf = (count: number) => `${count.toLocaleString("en-US")} codes`;
  return [
    {
      name: `element from the result cache, in a run of ${codesOf(items)}`,
      unit: "ms",
      ours: spread(each(hit)),
      beside: [{ name: "the same, worked out", value: spread(each(off)) }],
      targets: [atMost(`≤ ${HIT_MAX} × a node of 5 ms`, median(each(hit)) / 5, HIT_MAX)],
      note: "the ratio is to five milliseconds, and not to what the node of this run takes",
    },
    {
      name: `run of ${codesOf(items)} that finds nothing in the result cache and keeps all`,
      unit: "s",
      ours: spread(seconds(on)),
      beside: [{ name: "the same without a cache", value: spread(seconds(off)) }],
      targets: [atMost(`≤ ${ON_MAX} × without a cache`, time(on) / time(off), ON_MAX)],
    },
    {
      name: `${codesOf(wholeItems)}, submitted again as a whole`,
      unit: "s",
      ours: spread(seconds(whole)),
      beside: [{ name: "the first run, which keeps them", value: spread(seconds([first])) }],
      targets: [
        atMost(`≤ ${WHOLE_MAX_S} s`, time(whole), WHOLE_MAX_S),
        atMost("0 credits", credits, 0),
      ],
    },
  ];
}

/** A run without a cache, one that finds nothing and keeps all, and one that finds all; of other texts in each round. */
async function compared(client: ApiClient, workflow: string, round: string, items: number) {
  const plain = texts(`${round}, off`, items);
  const off = await runToEnd(client, workflow, plain, "off");
  const fresh = texts(`${round}, on`, items);
  const on = await kept(client, () => runToEnd(client, workflow, fresh, "read_write"), items);
  const hit = await runToEnd(client, workflow, fresh, "read_write");
  expectReused(off, 0);
  expectReused(on, 0);
  expectReused(hit, items);
  return { off, on, hit };
}

function expectReused({ reused, credits }: Ended, expected: number): void {
  if (reused !== expected || credits > 0 === expected > 0) {
    throw new Error(
      `${reused} elements in place of ${expected} were reused, for ${credits} credits: the measurement is discarded.`,
    );
  }
}

function texts(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, at) => `${name} ${at}`);
}

/** A run, whose results are then in the cache. */
async function kept(client: ApiClient, work: () => Promise<Ended>, items: number): Promise<Ended> {
  const entries = async () =>
    (await client.call<{ readonly entries: number }>("GET", "/api/v1/cache")).entries;
  const before = await entries();
  const ended = await work();
  for (const deadline = performance.now() + KEPT_MAX_MS; (await entries()) < before + items;) {
    if (performance.now() > deadline) {
      throw new Error(`${items} results were not kept within ${KEPT_MAX_MS} ms.`);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_EVERY_MS));
  }
  return ended;
}

async function runToEnd(
  client: ApiClient,
  workflow: string,
  rows: readonly string[],
  mode: CacheOptions["mode"],
): Promise<Ended> {
  const startedAt = performance.now();
  const { id } = await client.call<Execution>("POST", "/api/v1/executions", {
    body: { workflow, inputs: { rows: { value: JSON.stringify(rows) } }, cache: { mode } },
  });
  for (const deadline = startedAt + RUN_MAX_MS; performance.now() < deadline;) {
    const run = await client.call<Execution>("GET", `/api/v1/executions/${id}`);
    if (isTerminal(run.status)) {
      const ms = performance.now() - startedAt;
      if (run.status !== "completed") {
        throw new Error(`A run is ${run.status}: the measurement is discarded.`);
      }
      return { ms, reused: run.reused_iterations, credits: run.credits_used ?? 0 };
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_EVERY_MS));
  }
  throw new Error(`A run did not end within ${RUN_MAX_MS} ms.`);
}

/** Draws each text as a QR code, reads it back, and passes what it found on. */
async function codes(client: ApiClient, size: number): Promise<string> {
  const column = { path: "$", outputPort: "text", outputType: "text" };
  const definition = {
    nodes: [
      {
        id: "rows",
        type: "input/json",
        label: "rows",
        parameters: { jsonConfig: { properties: [column] } },
      },
      { id: "code", type: "image/code", parameters: { symbology: "qr", size } },
      { id: "out", type: "output/json", parameters: { key: "out" } },
    ],
    connections: [
      { from: { node: "rows", port: "text" }, to: { node: "code", port: "text" } },
      { from: { node: "code", port: "check" }, to: { node: "out", port: "json" } },
    ],
  };
  return publish(client, { name: `Bench: codes of ${size}`, definition } as never);
}
