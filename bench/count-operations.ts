/**
 * `npm run bench:operations`: counts what Cloudflare bills of one run, by running it in both Workers with
 * counters in their bundles (`peers/counting-worker.ts`), and writes `scale/operations.json`, from
 * which `npm run docs` writes the tables of docs/scaling.md.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { transform } from "esbuild";
import { Miniflare } from "miniflare";
import { ApiClient } from "../scripts/api-client.ts";
import { applyMigrations } from "../scripts/apply-migrations.ts";
import { bundleWorkers, type BundledWorker } from "../scripts/bundle-workers.ts";
import { freePort } from "../scripts/free-port.ts";
import { provision, publish } from "../scripts/provision.ts";
import { readResult, submitRun, waitForRun } from "../scripts/run-workflow.ts";
import { chain, codes } from "./bench-workflows.ts";
import { type Counts, type Measured, type Operations, operationsOf } from "./scale/operations.ts";
import { median } from "./statistics.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const FILE = join(ROOT, "bench/scale/operations.json");
const ADMIN_TOKEN = "the-operator-token-of-the-count";
const ROUNDS = 5;
const NOTHING = { objectBytes: 0, r2Bytes: 0, cpuMs: 0 };
/** Nothing is counted for this long: what a run sets off has ended. */
const QUIET_MS = 1_500;

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

const directory = await mkdtemp(join(tmpdir(), "edgeloom-count-"));
const service = await start(directory);
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
    /** Milliseconds of one workspace object for a call, when it has more to do than it can. */
    workspace: {
      admitMs: rounded(median(saturated.map(({ admitMs }) => admitMs))),
      closeMs: rounded(median(saturated.map(({ closeMs }) => closeMs))),
    },
  } satisfies Measured;
  console.log(JSON.stringify(measured, null, 2));
  await writeFile(FILE, `${JSON.stringify(measured, null, 2)}\n`);
  console.log(`written to ${FILE}`);
} finally {
  await service.miniflare.dispose();
  await rm(directory, { recursive: true, force: true });
}

/** One run first, so that what only the first of a workspace costs is not counted. */
async function measure({ name, workflow, runs }: Shape) {
  const { client } = service;
  const id = await publish(client, workflow);
  await waitForRun(client, await submitRun(client, { workflow: id }), { timeoutMs: 120_000 });
  await settled();
  const bytesBefore = await bytes(await counts());
  await reset();
  const cpuBefore = await cpuMs();
  const submitted: string[] = [];
  for (let run = 0; run < runs; run++) {
    submitted.push(await submitRun(client, { workflow: id }));
  }
  await settled();
  const counted = await counts();
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
  await reset();
  for (const run of submitted) {
    assert.equal((await readResult(service.client, run)).status, "completed", `${name}: ${run}`);
  }
  await settled();
  return counts();
}

async function saturate(): Promise<Saturated> {
  const worker = await service.miniflare.getWorker("edgeloom");
  const answer = await worker.fetch("http://counter/__saturate");
  const text = await answer.text();
  assert.equal(answer.status, 200, `the workspace object is saturated: ${text}`);
  return JSON.parse(text) as Saturated;
}

function rounded(ms: number): number {
  return Math.round(1000 * ms) / 1000;
}

async function start(folder: string) {
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const workers = await bundleWorkers({
    // What Cloudflare gets: the local service looks after its runs more often.
    ENVIRONMENT: "production",
    BASE_URL: baseUrl,
    BOOT_ID: randomUUID(),
    JWT_SECRET: randomUUID(),
    ADMIN_TOKEN,
  });
  const counter = await transform(
    await readFile(join(ROOT, "bench/peers/counting-worker.ts"), "utf8"),
    { loader: "ts", target: "es2024" },
  );
  const miniflare = new Miniflare({
    host: "127.0.0.1",
    port,
    cf: false,
    d1Persist: join(folder, "d1"),
    r2Persist: join(folder, "r2"),
    durableObjectsPersist: join(folder, "objects"),
    handleRuntimeStdio: (stdout: Readable, stderr: Readable) => {
      stdout.resume();
      stderr.resume();
    },
    workers: workers.map(({ config, modules }) => ({
      ...config.options,
      modules: countedModules(modules, counter.code),
    })),
  });
  await miniflare.ready;
  await applyMigrations(
    await miniflare.getD1Database("DB", "edgeloom"),
    join(ROOT, "src/storage/migrations"),
  );
  const client = new ApiClient(await provision(baseUrl, ADMIN_TOKEN));
  return { miniflare, client };
}

/** The bundle, its import of the platform led through the counter, behind an entry that shows the counts. */
function countedModules(modules: BundledWorker["modules"], counter: string) {
  const [bundle, ...rest] = modules;
  assert.equal(bundle?.type, "ESModule");
  const contents = String(bundle.contents).replaceAll('"cloudflare:workers"', '"./counter.mjs"');
  assert.notEqual(contents, bundle.contents, "the bundle imports cloudflare:workers");
  return [
    {
      type: "ESModule" as const,
      path: "entry.mjs",
      contents: `import worker from "./worker.mjs";
import { withCounters } from "./counter.mjs";
export * from "./worker.mjs";
export default withCounters(worker);`,
    },
    { type: "ESModule" as const, path: "worker.mjs", contents },
    {
      type: "ESModule" as const,
      path: "counter.mjs",
      contents: `export * from "cloudflare:workers";\n${counter}`,
    },
    ...rest,
  ];
}

function counts(): Promise<Counts[]> {
  return ask<Counts>("GET");
}

async function reset(): Promise<void> {
  await ask("DELETE");
}

function ask<T>(method: "GET" | "DELETE"): Promise<T[]> {
  return Promise.all(
    ["edgeloom", "edgeloom-runner"].map(async (name) => {
      const worker = await service.miniflare.getWorker(name);
      const answer = await worker.fetch("http://counter/__operations", { method });
      return (await answer.json()) as T;
    }),
  );
}

/** Waits, asking nobody but the counters, until nothing has been counted for a while. */
async function settled(): Promise<void> {
  const requests = async () =>
    JSON.stringify(
      (await counts()).map(({ objects }) => Object.values(objects).map((o) => o.requests)),
    );
  for (let before = ""; ;) {
    const now = await requests();
    if (now === before) {
      return;
    }
    before = now;
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
  }
}

/** Bytes of the objects of runs, of the workspace's, and of all files. */
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
