import type { RunningService } from "../test/support/node/start-service.ts";
import {
  batchToEnd,
  type Caller,
  callerOf,
  commas,
  EVICTED_AFTER_MS,
  pause,
} from "./batch-calls.ts";
import { atMost, type Figure } from "./figure.ts";
import { httpCall } from "./http-call.ts";
import { newTenant } from "./new-tenant.ts";
import { openLoop } from "./open-loop.ts";
import type { Parts } from "./parts.ts";
import { quantile, tail } from "./statistics.ts";

export interface BesideOptions {
  readonly items: number;
  readonly rounds: number;
  /** Single submits of each tenant in a round, without a batch, and at least beside one. */
  readonly singles?: number;
  readonly evictedAfterMs?: number;
}

/** Of both tenants together, in turns. */
const PER_SECOND = 20;
const OF_IDLE = 2;

/** Milliseconds of single submits: of the tenant whose batch it is, and of another organization. */
type Samples = readonly [own: number[], other: number[]];

/**
 * What a batch does to single submits of its own tenant and of another one. Both submit at a fixed rate, without anything
 * else and while a batch of the first runs, in turns: each submit counts from when it was due. The percentiles are those of
 * all rounds together.
 */
export async function measureBesideBatches(
  service: RunningService,
  parts: Parts,
  { items, rounds, singles = 100, evictedAfterMs = EVICTED_AFTER_MS }: BesideOptions,
): Promise<Figure[]> {
  const own = await callerOf(service.client);
  const other = await callerOf(await newTenant(service));
  const [idle, beside]: [Samples, Samples] = [
    [[], []],
    [[], []],
  ];
  const alone = () => submitsOf([own, other], { calls: 2 * singles });
  await alone();
  for (let round = 1; round <= rounds; round += 1) {
    try {
      // What the last round left is evicted by now.
      await pause(evictedAfterMs);
      const without = await alone();
      const during = await submitsBeside([own, other], { items, singles });
      keep(idle, without);
      keep(beside, during);
    } catch (error) {
      parts.fail(`single submits beside a batch, round ${round} of ${rounds}`, error);
      break;
    }
  }
  if (beside[0].length === 0) {
    return [];
  }
  const name = `beside a batch of ${commas(items)}, ${PER_SECOND / 2} a second`;
  return [
    figureOf(`p99 of a single submit ${name}`, idle[0], beside[0]),
    figureOf(`p99 of a single submit of another organization ${name}`, idle[1], beside[1]),
  ];
}

/** While batches run, as many as this number of submits of each tenant takes. */
async function submitsBeside(
  callers: readonly [Caller, Caller],
  { items, singles }: { readonly items: number; readonly singles: number },
): Promise<Samples> {
  const all: Samples = [[], []];
  while (Math.min(all[0].length, all[1].length) < singles) {
    let isBatch = true;
    const batch = batchToEnd(callers[0], items).finally(() => {
      isBatch = false;
    });
    const loop = {
      calls: Infinity,
      isOver: () => !isBatch,
      // A batch may end before the second submit.
      first: all[0].length > all[1].length ? (1 as const) : (0 as const),
    };
    const [submits] = await Promise.all([submitsOf(callers, loop), batch]);
    keep(all, submits);
  }
  return all;
}

/** In turns; `first` begins. */
async function submitsOf(
  callers: readonly [Caller, Caller],
  {
    first = 0,
    ...loop
  }: { readonly calls: number; readonly isOver?: () => boolean; readonly first?: 0 | 1 },
): Promise<Samples> {
  let next = first;
  const times = await openLoop(
    () => {
      const call = submit(callers[next]);
      next = next === 0 ? 1 : 0;
      return call;
    },
    { perSecond: PER_SECOND, ...loop },
  );
  const of = (tenant: 0 | 1) => times.filter((_, at) => (at % 2 === 0) === (tenant === first));
  return [of(0), of(1)];
}

async function submit({ client, headers, workflow }: Caller): Promise<void> {
  const url = `${client.baseUrl}/api/v1/executions`;
  const body = JSON.stringify({ workflow });
  const { status, text } = await httpCall("POST", url, { headers, body });
  if (status !== 202) {
    throw new Error(`A submit returned ${status}: ${text}`);
  }
}

function keep(all: Samples, more: Samples): void {
  all[0].push(...more[0]);
  all[1].push(...more[1]);
}

function figureOf(name: string, idle: readonly number[], beside: readonly number[]): Figure {
  return {
    name,
    unit: "ms",
    ours: tail(beside, 0.99),
    beside: [{ name: "without a batch", value: tail(idle, 0.99) }],
    targets: [
      atMost(`≤ ${OF_IDLE} × without`, quantile(beside, 0.99) / quantile(idle, 0.99), OF_IDLE),
    ],
    note: `${idle.length} submits without, ${beside.length} beside; medians ${quantile(idle, 0.5).toFixed(1)} and ${quantile(beside, 0.5).toFixed(1)} ms`,
  };
}
