import { execFileSync } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type RunningService, startService } from "../test/support/node/start-service.ts";
import { atMost, type Figure } from "./figure.ts";
import { median, spread } from "./statistics.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** The caches that a start keeps for the next one (docs/decisions/booting.md). */
const CACHES = ["edgeloom", "edgeloom-scripts"].map((name) =>
  join(ROOT, "node_modules/.cache", name),
);
const BOOTS = 9;
/** The first start after `npm ci`, which bundles both Workers. */
const COLD_BOOTS = 3;

/**
 * Start of the process to `ready`, in seconds, in turns: on a new data folder with warm caches, which includes
 * migrations and provisioning; on a used folder; and, for comparison, Node importing Miniflare. Finally without any
 * cache, as after `npm ci`.
 */
export async function measureReady(folder: string): Promise<Figure[]> {
  await readyOn(folder);
  const [fresh, again, floor]: [number[], number[], number[]] = [[], [], []];
  for (let boot = 0; boot < BOOTS; boot += 1) {
    fresh.push(await readyOn());
    again.push(await readyOn(folder));
    floor.push(timeImport());
  }
  const cold: number[] = [];
  for (let boot = 0; boot < COLD_BOOTS; boot += 1) {
    await Promise.all(CACHES.map((cache) => rm(cache, { recursive: true, force: true })));
    cold.push(await readyOn());
  }
  const beside = [
    { name: "Node importing Miniflare and nothing else", value: spread(floor) },
    { name: "the same with no cache, as after npm ci", value: spread(cold) },
  ];
  return [
    {
      workload: "sustained",
      name: "from the start of the process to ready, new data folder, caches warm",
      unit: "s",
      ours: spread(fresh),
      beside,
      // Includes migrations and provisioning, once per folder, so the target is that of a first start.
      targets: [atMost("< 1.5 s", median(fresh), 1.5)],
    },
    {
      workload: "sustained",
      name: "from the start of the process to ready, second boot of a folder",
      unit: "s",
      ours: spread(again),
      beside: beside.slice(0, 1),
      targets: [atMost("< 1 s", median(again), 1)],
    },
  ];
}

/** Seconds to ready; on a new folder if none is given. */
async function readyOn(directory?: string): Promise<number> {
  const service: RunningService = await startService(directory === undefined ? {} : { directory });
  await service.stop();
  return service.readyMs / 1000;
}

function timeImport(): number {
  const begunAt = performance.now();
  execFileSync(process.execPath, ["--input-type=module", "-e", 'await import("miniflare")'], {
    cwd: ROOT,
  });
  return (performance.now() - begunAt) / 1000;
}
