/**
 * `npm run bench`: measures on this machine and prints a table. Each figure stands beside a
 * floor or a peer of the same run, taken in turns. Writes the rows to bench/rows/.
 */
import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { freePort } from "../scripts/free-port.ts";
import { measureDeploy } from "../scripts/measure-deploy.ts";
import { startService } from "../test/support/node/start-service.ts";
import { atMost, type Figure, isMet } from "./figure.ts";
import { measureDatasets } from "./measure-datasets.ts";
import { measureFairness } from "./measure-fairness.ts";
import { measureFanOut } from "./measure-fan-out.ts";
import { measureHeap } from "./measure-heap.ts";
import { measurePaidSubmits } from "./measure-paid-submits.ts";
import { measureSlope } from "./measure-slope.ts";
import { measureTenSteps } from "./measure-steps.ts";
import { measureNotModified, measurePoll, measureTrace } from "./measure-reads.ts";
import { measureTasks } from "./measure-tasks.ts";
import { measureStreams } from "./measure-streams.ts";
import { measureSubmits } from "./measure-submits.ts";
import { measureUploads } from "./measure-uploads.ts";
import { measureWebhooks } from "./measure-webhooks.ts";
import { renderTable } from "./render-table.ts";
import { startPeers } from "./start-peers.ts";
import { median, spread } from "./statistics.ts";

const ROWS = fileURLToPath(new URL("rows", import.meta.url));
const BOOTS = 7;

const { values } = parseArgs({
  options: {
    /** Name under which the rows are kept, to be committed; without it they stay local. */
    keep: { type: "string" },
    /** Only figures whose name contains this. */
    only: { type: "string", default: "" },
  },
});

const directory = await mkdtemp(join(tmpdir(), "edgeloom-bench-"));
const startedAt = new Date();
const loadBefore = loadavg();
try {
  const figures = await measureAll(directory);
  const table = renderTable(figures);
  console.log(`\n${table}`);
  const row = {
    started_at: startedAt.toISOString(),
    machine: {
      cpu: cpus()[0]?.model.trim(),
      cores: cpus().length,
      load_before: loadBefore,
      load_after: loadavg(),
    },
    versions: {
      node: process.version,
      workerd: await versionOf("workerd"),
      miniflare: await versionOf("miniflare"),
    },
    commit: commit(),
    figures,
  };
  const file = join(
    ROWS,
    `${values.keep ?? `local-${startedAt.toISOString().replaceAll(":", "-")}`}.json`,
  );
  await writeFile(file, `${JSON.stringify(row, null, 2)}\n`);
  console.log(
    `\nLoad ${loadBefore.map((load) => load.toFixed(1)).join(" ")} before, ${loadavg()
      .map((load) => load.toFixed(1))
      .join(" ")} after. Rows: ${file}`,
  );
  const missed = figures.flatMap(({ targets }) => targets).filter((target) => !isMet(target));
  if (missed.length > 0) {
    console.log(`${missed.length} targets missed.`);
  }
} finally {
  await rm(directory, { recursive: true, force: true });
}

async function measureAll(root: string): Promise<Figure[]> {
  const figures: Figure[] = [];
  const inspectorPort = await freePort();
  const wants = (name: string) => name.includes(values.only);
  const take = async (name: string, measure: () => Promise<Figure | Figure[]>) => {
    if (wants(name)) {
      const begunAt = performance.now();
      process.stderr.write(`measuring ${name} …\n`);
      const measured = [await measure()].flat();
      figures.push(...measured);
      const took = ((performance.now() - begunAt) / 1000).toFixed(0);
      const lines = renderTable(measured).split("\n").slice(2);
      process.stderr.write(`${lines.join("\n")}\n(${took} s)\n`);
    }
  };
  const peers = await startPeers(join(root, "peers"));
  try {
    const service = await startService({ directory: join(root, "service") });
    try {
      await take("steps", () => measureTenSteps(service.client, peers));
      await take("slope", () => measureSlope(service));
      await take("fan-out", () => measureFanOut(service.client, peers));
      await take("poll", () => measurePoll(service.client, peers));
      await take("not-modified", () => measureNotModified(service.client));
      await take("trace", () => measureTrace(service.client));
      await take("uploads", () => measureUploads(service.client, join(root, "bare-files")));
      await take("fairness", () => measureFairness(service));
      await take("tasks", () => measureTasks(service));
      await take("paid-submits", () => measurePaidSubmits(service.client));
      await take("submits", () => measureSubmits(service.client, peers));
    } finally {
      await service.stop();
    }
  } finally {
    await peers.stop();
  }
  await take("heap", async () => {
    const watched = await startService({ directory: join(root, "heap"), inspectorPort });
    try {
      return await measureHeap(watched.client, inspectorPort);
    } finally {
      await watched.stop();
    }
  });
  await take("streams", async () => {
    const watched = await startService({
      directory: join(root, "streams"),
      inspectorPort,
      hasRunner: false,
    });
    try {
      return await measureStreams(watched, inspectorPort);
    } finally {
      await watched.stop();
    }
  });
  await take("webhooks", () => measureWebhooks(join(root, "webhooks")));
  await take("datasets", () => measureDatasets(join(root, "datasets")));
  await take("ready", () => measureReady(join(root, "ready")));
  await take("bundle", measureBundle);
  return figures;
}

/** Start of the process to `ready`, on a folder that has booted before. */
async function measureReady(folder: string): Promise<Figure> {
  await (await startService({ directory: folder })).stop();
  const [seconds, floor] = [[] as number[], [] as number[]];
  for (let boot = 0; boot < BOOTS; boot += 1) {
    const service = await startService({ directory: folder });
    seconds.push(service.readyMs / 1000);
    await service.stop();
    floor.push(timeNode() / 1000);
  }
  return {
    name: "from the start of the process to ready, second boot",
    unit: "s",
    ours: spread(seconds),
    beside: [{ name: "Node importing Miniflare and nothing else", value: spread(floor) }],
    targets: [atMost("< 1.5 s", median(seconds), 1.5)],
  };
}

function timeNode(): number {
  const begunAt = performance.now();
  execFileSync(process.execPath, ["--input-type=module", "-e", 'await import("miniflare")'], {
    cwd: fileURLToPath(new URL("..", import.meta.url)),
  });
  return performance.now() - begunAt;
}

async function measureBundle(): Promise<Figure> {
  const { gzipBytes } = await measureDeploy("wrangler.toml");
  const runner = await measureDeploy("queues/wrangler.toml");
  return {
    name: "the API Worker as deployed, gzip",
    unit: "kB",
    ours: spread([gzipBytes / 1000]),
    beside: [{ name: "the runner with its wasm", value: spread([runner.gzipBytes / 1000]) }],
    targets: [atMost("< 600 kB", gzipBytes / 1000, 600)],
  };
}

function commit(): string {
  try {
    return execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
  } catch {
    return "unknown";
  }
}

async function versionOf(name: string): Promise<string> {
  const path = fileURLToPath(new URL(`../node_modules/${name}/package.json`, import.meta.url));
  return (JSON.parse(await readFile(path, "utf8")) as { version: string }).version;
}
