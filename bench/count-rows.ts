/**
 * `npm run bench:rows`: counts the rows and operations of whole lives of runs, statement by
 * statement, and writes docs/row-counts.md. With `--check` it counts again and compares with what is
 * written there: rows and operations only, never times. `--statements` prints what each statement does.
 */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { publish } from "../scripts/provision.ts";
import { readResult, submitRun, waitForRun } from "../scripts/run-workflow.ts";
import { type BenchWorkflow, chain, codeChecks, codes } from "./bench-workflows.ts";
import { startCountingService } from "./counting-service.ts";
import { type RowCount, readRowCounts, renderRowCounts, strayCounts } from "./scale/row-counts.ts";
import type { Counts } from "./scale/operations.ts";

const FILE = fileURLToPath(new URL("../docs/row-counts.md", import.meta.url));
const DAY_MS = 86_400_000;
/** Beyond the plan's retention (60 days), the daily pass and the lives of idempotency keys. */
const EXPIRY_MS = 63 * DAY_MS;
const BURST_RUNS = 50;
const QUIET_RUNS = 8;
const QUIET_EVERY_MS = 6_000;
const TASKS = 1_000;

const [check, statements] = ["--check", "--statements"].map((flag) => process.argv.includes(flag));
const service = await startCountingService();
const rows: RowCount[] = [];
try {
  await countSteps();
  await countFanOut("a task of a fan-out, reported by 16", codeChecks(TASKS), 16);
  await countFanOut("a task of a fan-out, reported alone", codeChecks(TASKS), 1);
  await countFanOut("a task that makes a small picture", codes(TASKS), 0);
} finally {
  await service.stop();
}
if (check) {
  const stray = strayCounts(readRowCounts(await readFile(FILE, "utf8")), rows);
  assert.deepEqual(
    stray,
    [],
    "docs/row-counts.md says otherwise: npm run bench:rows writes it anew",
  );
  console.log(`${rows.length} counts are as docs/row-counts.md has them`);
} else {
  await writeFile(FILE, renderRowCounts(rows));
  console.log(renderRowCounts(rows));
}

async function countSteps(): Promise<void> {
  const id = await published(chain(10));
  const keyed = await counting(async () => {
    const runs: string[] = [];
    for (let run = 0; run < BURST_RUNS; run++) {
      runs.push(await submitRun(service.client, { workflow: id }, randomUUID()));
    }
    return runs;
  });
  note("ten steps with a key, in a burst", keyed.counted, BURST_RUNS);
  const read = await counting(() => readAll(keyed.value));
  note("its result, read once", read.counted, BURST_RUNS);
  const bare = await counting(async () => {
    for (let run = 0; run < BURST_RUNS; run++) {
      await submitRun(service.client, { workflow: id });
    }
  });
  note("ten steps without a key, in a burst", bare.counted, BURST_RUNS);
  const quiet = await counting(async () => {
    for (let run = 0; run < QUIET_RUNS; run++) {
      await submitRun(service.client, { workflow: id }, randomUUID());
      await new Promise((resolve) => setTimeout(resolve, QUIET_EVERY_MS));
    }
  });
  note("ten steps with a key, one each 6 s", quiet.counted, QUIET_RUNS);
  const expired = await counting(expire);
  // The first run of the workspace, of which nothing else is counted, expires with them.
  note("the expiry of one of these", expired.counted, 1 + 2 * BURST_RUNS + QUIET_RUNS);
}

async function countFanOut(name: string, workflow: BenchWorkflow, by: number): Promise<void> {
  const id = await published(workflow);
  await service.reportBy(by);
  const run = await counting(async () => [await submitRun(service.client, { workflow: id })]);
  await service.reportBy(0);
  note(name, run.counted, TASKS);
  const read = await counting(() => readAll(run.value));
  note(`${name}: its element of the result, read once`, read.counted, TASKS);
  const expired = await counting(expire);
  // The first run of the workflow expires with it.
  note(`${name}: its expiry`, expired.counted, 2 * TASKS);
}

/** Run once, so that what only the first of a workspace costs is not counted. */
async function published(workflow: BenchWorkflow): Promise<string> {
  const id = await publish(service.client, workflow);
  await waitForRun(service.client, await submitRun(service.client, { workflow: id }), {
    timeoutMs: 120_000,
  });
  return id;
}

async function readAll(runs: readonly string[]): Promise<void> {
  for (const run of runs) {
    assert.equal((await readResult(service.client, run)).status, "completed", run);
  }
}

/** Sets the clock forward until the retention of every run is over, and wakes the workspace until it has done with them. */
async function expire(): Promise<void> {
  await service.forward(EXPIRY_MS);
  for (let before = -1; ;) {
    await service.command("edgeloom", "/__expire");
    const counted = await service.counts();
    const expired = counted.reduce(
      (sum, { objects }) => sum + (objects["RunObject"]?.requests["expireOutputs"] ?? 0),
      0,
    );
    if (expired === before) {
      return;
    }
    before = expired;
  }
}

async function counting<T>(work: () => Promise<T>) {
  await service.settled();
  await service.reset();
  const value = await work();
  await service.settled();
  return { value, counted: await service.counts() };
}

function note(name: string, counted: readonly Counts[], of: number): void {
  const objects = counted.flatMap((counts) => Object.entries(counts.objects));
  const written = (names: (name: string) => boolean) =>
    objects
      .filter(([object]) => names(object))
      .reduce((sum, [, { rowsWritten, alarmsSet }]) => sum + rowsWritten + alarmsSet, 0);
  const sum = (count: (counts: Counts) => number) =>
    counted.reduce((total, counts) => total + count(counts), 0);
  const figures = {
    "rows written": written(() => true),
    "of these the run object's": written((object) => object === "RunObject"),
    "the workspace object's": written((object) => object === "WorkspaceObject"),
    "rows read": objects.reduce((total, [, { rowsRead }]) => total + rowsRead, 0),
    "D1 rows written": sum(({ d1 }) => d1.rowsWritten),
    "queue messages": sum(({ queueMessages }) => queueMessages.reduce((a, b) => a + b, 0)),
    "R2 puts": sum(({ r2 }) => r2["put"] ?? 0),
    "R2 lists": sum(({ r2 }) => r2["list"] ?? 0),
    "R2 gets": sum(({ r2 }) => (r2["get"] ?? 0) + (r2["head"] ?? 0)),
  };
  rows.push({
    name,
    figures: Object.fromEntries(
      Object.entries(figures).map(([figure, count]) => [figure, Number((count / of).toFixed(2))]),
    ),
  });
  if (statements) {
    printStatements(name, objects, of);
  }
}

function printStatements(
  name: string,
  objects: readonly (readonly [string, Counts["objects"][string]])[],
  of: number,
): void {
  console.log(`\n## ${name}`);
  for (const [object, { statements: each, alarmsSet }] of objects) {
    console.log(`${object}: alarms ${(alarmsSet / of).toFixed(2)}`);
    const sorted = Object.entries(each).toSorted(([, a], [, b]) => b.written - a.written);
    for (const [statement, { runs, read, written }] of sorted.slice(0, 14)) {
      const figures = [runs, read, written].map((count) => (count / of).toFixed(2).padStart(7));
      console.log(`${figures.join(" ")}  ${statement.slice(0, 90)}`);
    }
  }
}
