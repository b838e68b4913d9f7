/** The tables of docs/scaling.md, from what was counted and from the simulation of one object. */
import type { Measured, Operations } from "./operations.ts";
import { OPERATIONS_A_MESSAGE, PRICES } from "./prices.ts";
import { simulateObjectQueue } from "./simulate-object-queue.ts";
import { zipfShares } from "./zipf.ts";

const MILLION = 1_000_000;
const SEED = 20_261_120;
const CALLS = 60_000;
/** What a request takes an object at Cloudflare's soft limit of 1,000 requests a second. */
const SOFT_LIMIT_MS = 1;
/** An end follows its start after this; the longer, the more the calls are strangers to each other. */
const BETWEEN_MS = 200;
const SKEW = 1;
const QUEUE_MESSAGES_A_SECOND = 5_000;
const LOADS = [
  { runsPerSecond: 10, tenants: 100 },
  { runsPerSecond: 1_000, tenants: 10_000 },
  { runsPerSecond: 100_000, tenants: 1_000_000 },
] as const;
const OBJECT_RATES = [10, 50, 100, 200, 300, 400, 450, 480, 500];

/** One operation of a line of the bill: how many of a run, and what a million cost. */
type Line = readonly [name: string, count: (of: Operations) => number, price: number];

const LINES: readonly Line[] = [
  ["HTTP requests", ({ http }) => http, PRICES.http],
  ["queue invocations of the runner", ({ queueInvocations }) => queueInvocations, PRICES.http],
  ["calls to objects", objectRequests, PRICES.objectRequest],
  ["rows read", ({ rowsRead, d1RowsRead }) => rowsRead + d1RowsRead, PRICES.rowRead],
  [
    "rows written",
    ({ rowsWritten, d1RowsWritten }) => rowsWritten + d1RowsWritten,
    PRICES.rowWritten,
  ],
  [
    "queue operations",
    ({ queueMessages }) => queueMessages * OPERATIONS_A_MESSAGE,
    PRICES.queueOperation,
  ],
  ["R2 class A", ({ r2ClassA }) => r2ClassA, PRICES.r2ClassA],
  ["R2 class B", ({ r2ClassB }) => r2ClassB, PRICES.r2ClassB],
  ["CPU ms (here)", ({ cpuMs }) => cpuMs, PRICES.cpuMs],
  ["object GB-s (here)", ({ objectGbSeconds }) => objectGbSeconds, PRICES.objectGbSecond],
];

/** Everything between the marks of docs/scaling.md. */
export function scalingTables(measured: Measured): string {
  return [
    `Counted ${measured.taken} at commit ${measured.commit} on ${measured.machine}, by \`npm run bench:operations\`.`,
    "### What one run uses, and what a million cost",
    billTable(measured),
    queueWall(measured),
    "### One workspace object, by the rate of its runs",
    `A run calls it twice: \`admit\` takes ${measured.workspace.admitMs} ms and \`close\` ${measured.workspace.closeMs} ms here, the caller, the disk and whoever else worked on this machine included, so at most that; the documented soft limit of 1,000 requests a second would be ${SOFT_LIMIT_MS} ms each. Simulated call by call, ${CALLS.toLocaleString("en")} calls a line, seed ${SEED}.`,
    objectTable(measured),
    "### Tenants of unequal size",
    `Sizes follow Zipf's law with exponent ${SKEW}; each tenant has a workspace object of its own. "Over the wall" is what has more than the object can serve at the documented soft limit.`,
    tenantTable(),
  ].join("\n\n");
}

/** How many runs of the shape that sends most hints one queue takes. */
function queueWall({ shapes }: Measured): string {
  const { name, operations } = shapes.reduce((most, shape) =>
    shape.operations.queueMessages > most.operations.queueMessages ? shape : most,
  );
  const runs = Math.floor(QUEUE_MESSAGES_A_SECOND / operations.queueMessages);
  return `One queue takes ${QUEUE_MESSAGES_A_SECOND.toLocaleString("en")} messages a second. Of "${name}", which sends ${operations.queueMessages}, that is ${runs} runs a second: the first wall that tenants share.`;
}

function billTable({ shapes }: Measured): string {
  const header = shapes.map(({ name }) => ` ${name} | $ for a million |`).join("");
  const rows = LINES.map(([name, count, price]) => {
    const cells = shapes.map(({ operations }) => {
      const used = count(operations);
      return ` ${used.toLocaleString("en", { maximumFractionDigits: 5 })} | ${dollars(used * price)} |`;
    });
    return `| ${name} |${cells.join("")}`;
  });
  const sums = shapes.map(
    ({ operations }) =>
      ` | **${dollars(LINES.reduce((sum, [, count, price]) => sum + count(operations) * price, 0))}** |`,
  );
  const kept = shapes.map(({ operations: { objectBytes, r2Bytes } }) => {
    const monthly = (MILLION * (objectBytes * PRICES.objectGb + r2Bytes * PRICES.r2Gb)) / 1e9;
    return ` ${bytes(objectBytes)} in objects, ${bytes(r2Bytes)} in R2 | ${dollars(monthly)} a month |`;
  });
  return [
    `| |${header}`,
    `|---|${shapes.map(() => "---:|---:|").join("")}`,
    ...rows,
    `| **together** |${sums.join("")}`,
    `| kept |${kept.join("")}`,
  ].join("\n");
}

function objectTable({ workspace }: Measured): string {
  const here = [workspace.admitMs, workspace.closeMs];
  const documented = [SOFT_LIMIT_MS, SOFT_LIMIT_MS];
  const rows = OBJECT_RATES.map(
    (rate) => `| ${rate} |${waits(rate, here)}${waits(rate, documented)}`,
  );
  return [
    "| runs a second | busy, here | p50 wait ms | p99 wait ms | busy, soft limit | p50 wait ms | p99 wait ms |",
    "|---:|---:|---:|---:|---:|---:|---:|",
    ...rows,
    `| wall |${wall(here)}${wall(documented)}`,
  ].join("\n");
}

function waits(runsPerSecond: number, callsMs: readonly number[]): string {
  const { utilisation, p50Ms, p99Ms, isStable } = simulateObjectQueue({
    runsPerSecond,
    callsMs,
    betweenMs: BETWEEN_MS,
    calls: CALLS,
    seed: SEED,
  });
  return isStable
    ? ` ${percent(utilisation)} | ${p50Ms.toFixed(1)} | ${p99Ms.toFixed(1)} |`
    : " over the wall | | |";
}

/** Runs a second that keep the object wholly busy. */
function wall(callsMs: readonly number[]): string {
  const most = 1000 / callsMs.reduce((sum, ms) => sum + ms, 0);
  return ` ${Math.floor(most).toLocaleString("en")} runs a second | | |`;
}

function tenantTable(): string {
  const most = 1000 / (2 * SOFT_LIMIT_MS);
  const rows = LOADS.map(({ runsPerSecond, tenants }) => {
    const shares = zipfShares(tenants, SKEW);
    const rates = shares.map((share) => share * runsPerSecond);
    const over = rates.filter((rate) => rate >= most);
    const overShare = over.reduce((sum, rate) => sum + rate, 0) / runsPerSecond;
    const largest = rates[0]!;
    const second = rates.find((rate) => rate < most)!;
    const cells = [
      runsPerSecond.toLocaleString("en"),
      tenants.toLocaleString("en"),
      largest.toLocaleString("en", { maximumFractionDigits: 1 }),
      over.length === 0 ? "none" : `${over.length}, with ${percent(overShare)} of all runs`,
      second.toLocaleString("en", { maximumFractionDigits: 1 }),
    ];
    return `| ${cells.join(" | ")} |${waits(second, [SOFT_LIMIT_MS, SOFT_LIMIT_MS])}`;
  });
  return [
    "| runs a second | tenants | of the largest | over the wall | of the largest below it | its object busy | p50 wait ms | p99 wait ms |",
    "|---:|---:|---:|---|---:|---:|---:|---:|",
    ...rows,
  ].join("\n");
}

function objectRequests({ objectRequests: requests }: Operations): number {
  return Math.round(100 * Object.values(requests).reduce((sum, count) => sum + count, 0)) / 100;
}

function dollars(amount: number): string {
  return amount.toLocaleString("en", {
    minimumFractionDigits: amount < 100 ? 2 : 0,
    maximumFractionDigits: amount < 100 ? 2 : 0,
  });
}

function bytes(count: number): string {
  return count >= MILLION
    ? `${(count / MILLION).toFixed(1)} MB`
    : `${(count / 1000).toFixed(1)} KB`;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
