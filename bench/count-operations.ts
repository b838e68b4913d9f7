/**
 * `npm run bench:operations`: counts the operations of one run that Cloudflare bills, by running it in both Workers
 * with counters in their bundles (`peers/counting-worker.ts`). Writes `scale/operations.json`, from which `npm run
 * docs` writes the tables of docs/scaling.md.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { publish } from "../scripts/provision.ts";
import { readResult, submitRun, waitForRun } from "../scripts/run-workflow.ts";
import { chain, codes } from "./bench-workflows.ts";
import { startCountingService } from "./counting-service.ts";
import { type Counts, type Measured, type Operations, operationsOf } from "./scale/operations.ts";
import { median } from "./statistics.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const FILE = join(ROOT, "bench/scale/operations.json");
const ROUNDS = 5;
const NOTHING = { objectBytes: 0, r2Bytes: 0, cpuMs: 0 };

interface Saturated {
  readonly admitMs: number;
  readonly closeMs: number;
}

interface Shape {
  readonly name: string;
  readonly workflow: { readonly name: string; readonly definition: unknown };
  readonly runs: number;
}

const SHAPES: readonly Shape[] = [
  { name: "a run of 10 steps", workflow: chain(10), runs: 50 },
  { name: "a fan-out of 1,000 items, a task each", workflow: codes(1000), runs: 2 },
];

const service = await startCountingService();
try {
  const shapes: { name: string; operations: Operations }[] = [];
  for (const shape of SHAPES) {
    shapes.push(...(await measure(shape)));
  }
  const saturated: Saturated[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    saturated.push(await saturate());
  }
  const measured = {
    taken: new Date().toISOString().slice(0, 10),
    commit: execFileSync("git", ["rev-parse", "--short", "HEAD"], { cwd: ROOT }).toString().trim(),
    machine: `${cpus().length} cores (${cpus()[0]?.model.trim()}), load ${loadavg()[0]?.toFixed(1)}`,
    shapes,
    /** Milliseconds that one saturated workspace object takes for a call. */
    workspace: {
      admitMs: rounded(median(saturated.map(({ admitMs }) => admitMs))),
      closeMs: rounded(median(saturated.map(({ closeMs }) => closeMs))),
    },
  } satisfies Measured;
  console.log(JSON.stringify(measured, null, 2));
  await writeFile(FILE, `${JSON.stringify(measured, null, 2)}\n`);
  console.log(`written to ${FILE}`);
} finally {
  await service.stop();
}

/** One run first, to exclude the extra cost of a workspace's first run. */
async function measure({ name, workflow, runs }: Shape) {
  const { client } = service;
  const id = await publish(client, workflow);
  await waitForRun(client, await submitRun(client, { workflow: id }), { timeoutMs: 120_000 });
  await service.settled();
  const bytesBefore = await bytes(await service.counts());
  await service.reset();
  const cpuBefore = await cpuMs();
  const submitted: string[] = [];
  for (let run = 0; run < runs; run++) {
    submitted.push(await submitRun(client, { workflow: id }));
  }
  await service.settled();
  const counted = await service.counts();
  const spentMs = (await cpuMs()) - cpuBefore;
  const after = await bytes(counted);
  const read = await readResults(name, submitted);
  return [
    {
      name,
      operations: operationsOf(counted, runs, {
        objectBytes: after.objects + after.workspace - bytesBefore.workspace,
        r2Bytes: after.r2 - bytesBefore.r2,
        cpuMs: spentMs,
      }),
    },
    { name: `its result, read once (${name})`, operations: operationsOf(read, runs, NOTHING) },
  ];
}

/** Reads the result of each run as a caller does. */
async function readResults(name: string, submitted: readonly string[]): Promise<Counts[]> {
  await service.reset();
  for (const run of submitted) {
    assert.equal((await readResult(service.client, run)).status, "completed", `${name}: ${run}`);
  }
  await service.settled();
  return service.counts();
}

async function saturate(): Promise<Saturated> {
  return JSON.parse(await service.command("edgeloom", "/__saturate")) as Saturated;
}

function rounded(ms: number): number {
  return Math.round(1000 * ms) / 1000;
}

/** Bytes of the runs' objects, of the workspace's object, and of all files. */
async function bytes(counted: readonly Counts[]) {
  const entries = counted.flatMap(({ sizes }) => Object.entries(sizes));
  const of = (name: string) =>
    entries.filter(([key]) => key.startsWith(`${name} `)).reduce((sum, [, size]) => sum + size, 0);
  const bucket = await service.miniflare.getR2Bucket("FILES", "edgeloom");
  let r2 = 0;
  for (let cursor: string | undefined; ;) {
    const page = await bucket.list(cursor === undefined ? {} : { cursor });
    r2 += page.objects.reduce((sum, { size }) => sum + size, 0);
    if (!page.truncated) {
      return { objects: of("RunObject"), workspace: of("WorkspaceObject"), r2 };
    }
    cursor = page.cursor;
  }
}

/** User and system time of workerd so far. */
async function cpuMs(): Promise<number> {
  const children = await readFile(`/proc/${process.pid}/task/${process.pid}/children`, "utf8");
  let ticks = 0;
  for (const pid of children.trim().split(" ")) {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
    if (stat.includes("(workerd)")) {
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      ticks += Number(fields[11]) + Number(fields[12]);
    }
  }
  return ticks * 10;
}
