/** The tables of docs/scaling.md, from the counts and from the simulation of one object. */
import { TOKEN_LIFETIME_SECONDS } from "../../src/domain/auth/token-lifetime.ts";
import type { Measured, Operations } from "./operations.ts";
import { peerTable, PRICES_READ } from "./peer-bill.ts";
import { OPERATIONS_A_MESSAGE, PRICES } from "./prices.ts";
import type { RowCount } from "./row-counts.ts";
import { wholeLivesTable } from "./whole-lives.ts";
import { FACTS_AGE_MAX_MS } from "../../src/domain/access/kept-facts.ts";
import { SeededRandom } from "../../test/simulation/seeded-random.ts";
import { shardLoads, shuffled } from "./shard-loads.ts";
import { type SharedReads, simulateSharedReads } from "./simulate-shared-reads.ts";
import { simulateObjectQueue } from "./simulate-object-queue.ts";
import { zipfShares } from "./zipf.ts";

const MILLION = 1_000_000;
const SEED = 20_261_120;
const CALLS = 60_000;
/** Time of a request at Cloudflare's soft limit of 1,000 requests a second per object. */
const SOFT_LIMIT_MS = 1;
/** Delay between the start and the end of a run; the longer it is, the less their calls correlate. */
const BETWEEN_MS = 200;
const SKEW = 1;
const QUEUE_MESSAGES_A_SECOND = 5_000;
/** The platform chooses the number of isolates, so each rate is simulated with few and with many. */
const LOADS = [
  { runsPerSecond: 10, tenants: 100, isolates: [2, 10] },
  { runsPerSecond: 1_000, tenants: 10_000, isolates: [20, 50] },
  { runsPerSecond: 10_000, tenants: 100_000, isolates: [150, 400] },
  { runsPerSecond: 100_000, tenants: 1_000_000, isolates: [1_000, 2_500] },
] as const;
/** One database executes queries one after the other; at 1 ms each that is a thousand a second. */
const D1_QUERIES_A_SECOND = 1_000;
const SHARDS = [1, 4, 16, 64] as const;
/** Between the two samples, which have 2,700 and 7,800. */
const DEFINITION_CHARS = 5_000;
const [D1_WARM_UP_SECONDS, D1_SECONDS] = [600, 600];
const OBJECT_RATES = [10, 50, 100, 200, 300, 400, 450, 480, 500];

/** One operation of the bill: the number per run, and the price of a million. */
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

/** The text between the marks of docs/scaling.md. */
export async function scalingTables(
  measured: Measured,
  counts: readonly RowCount[],
): Promise<string> {
  const loads = await d1Loads();
  return [
    `Counted ${measured.taken} at commit ${measured.commit} on ${measured.machine}, by \`npm run bench:operations\`.`,
    "### What one run uses, and what a million cost",
    billTable(measured),
    "### Whole lives, in a burst and quiet",
    "Rows, queue messages and R2 operations of a run from its submit to its expiry after 60 days, as [row-counts.md](row-counts.md) counts them. Requests, calls to objects, CPU time and stored data are in the table above and not in this one.",
    wholeLivesTable(counts),
    "### The same runs by other services' price lists",
    `Prices from stored copies of the lists' pages, read ${PRICES_READ} (\`bench/scale/peer-bill.ts\`). Units are counted as each list defines them. They are not directly comparable: most bill the code that does the work in addition, and the cost of a run here includes its inline work.`,
    peerTable(measured, costOfMillion),
    "### One workspace object, by the rate of its runs",
    `A run calls it twice. Measured 2026-11-20 at commit 592f377, load 11.8: \`admit\` takes ${measured.workspace.admitMs} ms and \`close\` ${measured.workspace.closeMs} ms here, including the caller, the disk and other work on this machine, so this is an upper bound; the documented soft limit of 1,000 requests a second would be ${SOFT_LIMIT_MS} ms each. Simulated call by call, ${CALLS.toLocaleString("en")} calls a line, seed ${SEED}.`,
    objectTable(measured),
    "### Tenants of unequal size",
    `Sizes follow Zipf's law with exponent ${SKEW}; each tenant has a workspace object of its own. "Over the wall" is the load beyond what the object can serve at the documented soft limit.`,
    tenantTable(),
    "### What isolates ask, and what is asked of D1",
    `Simulated submit by submit with the service's own caches (\`bench/scale/simulate-shared-reads.ts\`), seed ${SEED}: tenants as above on one plan, each with one workspace, one key and one workflow of ${commas(DEFINITION_CHARS)} characters; submits come to isolates at random, and isolates have served ${D1_WARM_UP_SECONDS / 60} minutes before and are never replaced. How many there are is an assumption. Access objects are asked for keys and plans, and R2 for definitions. An access object reads a fact from D1 again once it is ${FACTS_AGE_MAX_MS / 60_000} minutes old: an upper bound, as if every submit asked its object. Each version is read from D1 once in its life, which is not counted. A client asks for a token each ${TOKEN_LIFETIME_SECONDS / 60} minutes, one client a tenant. A database works off one query after the other: ${commas(D1_QUERIES_A_SECOND)} a second at 1 ms each.`,
    d1Table(loads),
    "### What all tenants share, and where the first wall is",
    `Load over capacity of one database (with the fewer isolates), of one queue of ${commas(QUEUE_MESSAGES_A_SECOND)} messages a second, and of the largest tenant's object. Runs of inline nodes send no hint, a run with tasks at least one, and "${mostHints(measured).name}" sends ${mostHints(measured).hints}.`,
    wallTable(loads, mostHints(measured).hints),
    "### The same with several databases",
    `Load over capacity of the busiest database, with the fewer isolates (\`bench/scale/shard-loads.ts\`, seed ${SEED}). Tenants come in any order of size, each to the shard with the fewest. A sign-in and a read of facts take one statement at home, which also shows whether the organization has moved (counted by \`test/worker/storage/d1/likely-homes.test.ts\`); shard 0 also has the billing plans. The first sign-in of a key and those after a move ask the directory, which is not counted. The next wall is the first part at or over its capacity once D1 is below its own; runs of inline nodes send no hint, others at least one.`,
    shardTable(loads),
  ].join("\n\n");
}

interface D1Line {
  readonly runsPerSecond: number;
  readonly tenants: number;
  readonly isolates: number;
  readonly largest: number;
  readonly reads: SharedReads;
  readonly signIns: number;
  readonly together: number;
}

async function d1Loads(): Promise<D1Line[]> {
  const lines: D1Line[] = [];
  for (const { runsPerSecond, tenants, isolates: choices } of LOADS) {
    const shares = zipfShares(tenants, SKEW);
    // A token is valid for its lifetime, and is then renewed by the tenant's next run.
    const signIns = shares.reduce(
      (sum, share) => sum + 1 / (TOKEN_LIFETIME_SECONDS + 1 / (share * runsPerSecond)),
      0,
    );
    for (const isolates of choices) {
      const reads = await simulateSharedReads({
        runsPerSecond,
        isolates,
        shares,
        definitionChars: DEFINITION_CHARS,
        warmUpSeconds: D1_WARM_UP_SECONDS,
        seconds: D1_SECONDS,
        seed: SEED,
      });
      const together = reads.facts + signIns;
      const largest = shares[0]! * runsPerSecond;
      lines.push({ runsPerSecond, tenants, isolates, largest, reads, signIns, together });
    }
  }
  return lines;
}

/** Of each rate and number of shards, how busy the first and the busiest other database are. */
function shardTable(lines: readonly D1Line[]): string {
  const rows = LOADS.filter(({ runsPerSecond }) => runsPerSecond >= 1_000).flatMap(
    ({ runsPerSecond, tenants, isolates: [fewer] }) => {
      const line = lines.find(
        (candidate) => candidate.runsPerSecond === runsPerSecond && candidate.isolates === fewer,
      )!;
      const rates = shuffled(
        zipfShares(tenants, SKEW).map((share) => share * runsPerSecond),
        new SeededRandom(SEED),
      );
      const { facts, planFacts: plans } = line.reads;
      const asked = { facts, plans, signIns: line.signIns };
      const queue = runsPerSecond / QUEUE_MESSAGES_A_SECOND;
      const object = (line.largest * 2 * SOFT_LIMIT_MS) / 1000;
      return SHARDS.map((shards) => {
        const loads = shardLoads(asked, rates, shards).map((each) => each / D1_QUERIES_A_SECOND);
        const others = loads.slice(1);
        const d1 = Math.max(...loads);
        const parts = { D1: d1, "the largest workspace": object };
        const cells = [
          load(loads[0]!),
          others.length === 0 ? "" : load(Math.max(...others)),
          load(d1),
          first(parts),
          first({ ...parts, "the queue": queue }),
        ];
        return `| ${commas(runsPerSecond)} | ${String(shards)} | ${cells.join(" | ")} |`;
      });
    },
  );
  return [
    "| runs a second | shards | shard 0, with the directory | busiest other shard | busiest | next wall, no tasks | next wall, a hint a run |",
    "|---:|---:|---:|---:|---:|---|---|",
    ...rows,
  ].join("\n");
}

function d1Table(lines: readonly D1Line[]): string {
  const rows = lines.map(({ runsPerSecond, tenants, isolates, reads, signIns, together }) => {
    const counts = [reads.keys, reads.plans, reads.definitions, reads.facts, signIns, together];
    const cells = [runsPerSecond, tenants, isolates].map(commas);
    return `| ${[...cells, ...counts.map(rate), load(together / D1_QUERIES_A_SECOND)].join(" | ")} |`;
  });
  return [
    "| runs a second | tenants | isolates | keys a second, of objects | plans, of an object | definitions, of R2 | facts, of D1 | sign-ins | D1 together | of one database |",
    "|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ...rows,
  ].join("\n");
}

/** The shape that sends most hints, and how many. */
function mostHints({ shapes }: Measured): { readonly name: string; readonly hints: number } {
  const { name, operations } = shapes.reduce((most, shape) =>
    shape.operations.queueMessages > most.operations.queueMessages ? shape : most,
  );
  return { name, hints: operations.queueMessages };
}

function wallTable(lines: readonly D1Line[], hints: number): string {
  const rows = LOADS.map(({ runsPerSecond, isolates: [fewer] }) => {
    const line = lines.find(
      (candidate) => candidate.runsPerSecond === runsPerSecond && candidate.isolates === fewer,
    )!;
    const d1 = line.together / D1_QUERIES_A_SECOND;
    const queue = runsPerSecond / QUEUE_MESSAGES_A_SECOND;
    const object = (line.largest * 2 * SOFT_LIMIT_MS) / 1000;
    const cells = [
      ...[d1, queue, queue * hints, object].map(load),
      ...[0, queue, queue * hints].map((used) =>
        first({ D1: d1, "the queue": used, "the largest workspace": object }),
      ),
    ];
    return `| ${commas(runsPerSecond)} | ${cells.join(" | ")} |`;
  });
  return [
    `| runs a second | D1 | queue, a hint a run | queue, ${hints} hints a run | largest workspace | first wall, no tasks | first wall, a hint a run | first wall, ${hints} hints a run |`,
    "|---:|---:|---:|---:|---:|---|---|---|",
    ...rows,
  ].join("\n");
}

/** The part with the highest load relative to its capacity, which is the first to reach it as the rate rises. */
function first(loads: Readonly<Record<string, number>>): string {
  const [name, most] = Object.entries(loads).reduce((a, b) => (b[1] > a[1] ? b : a));
  return most < 1 ? `none: ${name} at ${load(most)}` : name;
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
  const sums = shapes.map(({ operations }) => ` | **${dollars(costOfMillion(operations))}** |`);
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

/** Dollars for a million runs. */
function costOfMillion(operations: Operations): number {
  return LINES.reduce((sum, [, count, price]) => sum + count(operations) * price, 0);
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

/** Runs a second that saturate the object. */
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

function commas(count: number): string {
  return count.toLocaleString("en");
}

/** A simulated rate, to three digits. */
function rate(aSecond: number): string {
  return Number(aSecond.toPrecision(3)).toLocaleString("en", { maximumFractionDigits: 2 });
}

/** A share of a capacity; as a factor if far above it. */
function load(share: number): string {
  return share < 10 ? percent(share) : `${rate(share)} times`;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
