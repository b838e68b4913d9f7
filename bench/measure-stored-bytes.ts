import { join } from "node:path";
import type { RunningService } from "../test/support/node/start-service.ts";
import { fanOut, fanOutText } from "./bench-workflows.ts";
import { type Contender, edgeloom, peer, timeRun } from "./contenders.ts";
import type { Figure } from "./figure.ts";
import type { Peers } from "./start-peers.ts";
import { spread } from "./statistics.ts";
import { databaseBytes, objectDatabases, storedBlobs } from "./stored-files.ts";

export interface StoredBytesOptions {
  readonly items?: number;
  readonly workflowsItems?: number;
}

const ROUNDS = 3;

/** W10: bytes that a fan-out stores per item, in the database of its run object and in files. */
export async function measureStoredBytes(
  service: RunningService,
  peers: Peers,
  { items = 10_000, workflowsItems = 1_000 }: StoredBytesOptions = {},
): Promise<Figure> {
  const ours = await edgeloom(service.client, fanOut(items));
  const bare = peer("bare object", peers.bareUrl, `/fan?n=${items}`);
  const workflows = peer("Cloudflare Workflows", peers.workflowsUrl, `/fan?n=${workflowsItems}`);
  const blobs = () => storedBlobs(join(service.directory, "r2"));
  const [own, files, floor] = [[] as number[], [] as number[], [] as number[]];
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = new Set((await blobs()).map(({ path }) => path));
    own.push(
      (await newBytes(join(service.directory, "objects", "edgeloom-RunObject"), () =>
        timeRun(ours, fanOutText(items), { effects: 2 * items }),
      )) / items,
    );
    const added = (await blobs()).filter(({ path }) => !before.has(path));
    files.push(added.reduce((sum, { bytes }) => sum + bytes, 0) / items);
    floor.push((await newBytes(bareFolder(peers), () => timeRun(bare, items))) / items);
  }
  const theirs = await newBytes(join(peers.directory, "workflows"), () =>
    timeFanOf(workflows, workflowsItems),
  );
  return {
    workload: "W10",
    name: `bytes stored for each item of a fan-out of ${items.toLocaleString("en-US")} through two nodes, in the run's database`,
    unit: "bytes",
    ours: spread(own),
    beside: [
      { name: "and in files", value: spread(files) },
      { name: "bare object, one row of two numbers an item", value: spread(floor) },
      {
        name: `Cloudflare Workflows, ${workflowsItems.toLocaleString("en-US")} items, one step each`,
        value: spread([theirs / workflowsItems]),
      },
    ],
    targets: [],
  };
}

function timeFanOf(workflows: Contender, items: number): Promise<number> {
  return timeRun(workflows, fanOutText(items), { effects: items });
}

function bareFolder(peers: Peers): string {
  return join(peers.directory, "objects", "bare-BareObject");
}

/** Bytes of the one database that is created meanwhile. Throws unless there is exactly one. */
async function newBytes(directory: string, run: () => Promise<unknown>): Promise<number> {
  const before = await objectDatabases(directory);
  await run();
  const added = [...(await objectDatabases(directory))].filter((path) => !before.has(path));
  if (added.length !== 1) {
    throw new Error(`${added.length} databases were made in ${directory} by one run.`);
  }
  return databaseBytes(added[0] ?? "");
}
