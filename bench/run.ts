/**
 * `npm run bench`: measures on this machine and prints a table. Each figure is compared with a floor or a peer of the
 * same run, in turns. Writes the rows to bench/rows/.
 */
import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { ApiClient } from "../scripts/api-client.ts";
import { freePort } from "../scripts/free-port.ts";
import { measureDeploy } from "../scripts/measure-deploy.ts";
import { type RunningService, startService } from "../test/support/node/start-service.ts";
import { installedVersions } from "./external-engines.ts";
import { atMost, type Figure, isMet } from "./figure.ts";
import { measureBatches } from "./measure-batches.ts";
import { measureBesideBatches } from "./measure-beside-batches.ts";
import { measureBatchHeap } from "./measure-batch-heap.ts";
import { measureBatchExports } from "./measure-batch-exports.ts";
import { measureComparisons } from "./measure-comparisons.ts";
import { measureDatasets } from "./measure-datasets.ts";
import { measureEditor } from "./measure-editor.ts";
import { measureEmbedStart, measureWebSizes } from "./measure-embeds.ts";
import { measureDocuments } from "./measure-documents.ts";
import { measureLetters } from "./measure-letters.ts";
import { measureLists } from "./measure-lists.ts";
import { measureModelCalls } from "./measure-model-calls.ts";
import { measureModelRuns } from "./measure-model-runs.ts";
import { measureFairness } from "./measure-fairness.ts";
import { measureFilms } from "./measure-films.ts";
import { measureFanOut } from "./measure-fan-out.ts";
import { measureHeap } from "./measure-heap.ts";
import { measurePaidSubmits } from "./measure-paid-submits.ts";
import { measureRefusals } from "./measure-refusals.ts";
import { measureRenders } from "./measure-renders.ts";
import { measureSoundFiles } from "./measure-sound-files.ts";
import { measureSounds } from "./measure-sounds.ts";
import { measureShards } from "./measure-shards.ts";
import { measureStatements } from "./measure-statements.ts";
import { measureSlope } from "./measure-slope.ts";
import { measureSteps } from "./measure-steps.ts";
import { measureConcurrency } from "./measure-concurrency.ts";
import { measureOpenLoop } from "./measure-open-loop.ts";
import { measureSustained } from "./measure-sustained.ts";
import { measureKills } from "./measure-kills.ts";
import { measureEmbedTokens } from "./measure-embed-tokens.ts";
import { measureCancel } from "./measure-cancel.ts";
import { measureExternal } from "./measure-external.ts";
import { measureRerun } from "./measure-rerun.ts";
import { measureRetries } from "./measure-retries.ts";
import { measureReuse } from "./measure-reuse.ts";
import { measureSchedules } from "./measure-schedules.ts";
import { measureStoredBytes } from "./measure-stored-bytes.ts";
import { measurePictures } from "./measure-pictures.ts";
import { measureNotModified, measurePoll, measureTrace } from "./measure-reads.ts";
import { measureReady } from "./measure-ready.ts";
import { measureWake } from "./measure-wake.ts";
import { measureTaskCosts } from "./measure-task-costs.ts";
import { measureTasks } from "./measure-tasks.ts";
import { measureTemplateEdits } from "./measure-template-edits.ts";
import { measureStreams } from "./measure-streams.ts";
import { measureSubmits } from "./measure-submits.ts";
import { measureUploads } from "./measure-uploads.ts";
import { measureZip } from "./measure-zip.ts";
import { measureWidgetHeap } from "./measure-widget-heap.ts";
import { measureWebhooks } from "./measure-webhooks.ts";
import { Parts } from "./parts.ts";
import { renderTable } from "./render-table.ts";
import { writeRow } from "./write-row.ts";
import { type Peers, startPeers } from "./start-peers.ts";
import { spread } from "./statistics.ts";

/** A file system in memory, where there is one. */
const MEMORY = "/dev/shm";
const ROWS = fileURLToPath(new URL("rows", import.meta.url));

const { values } = parseArgs({
  options: {
    /** Name of the kept rows, to be committed; without it they stay local. */
    keep: { type: "string" },
    /** Only measurements whose name contains this, or one of these, separated by commas. */
    only: { type: "string", default: "" },
    /** Length of the long sounds. */
    minutes: { type: "string", default: "10" },
    /**
     * Puts the folders of all sides into memory: on a disk, creating the files of an object may take most of the time of a short run,
     * and that of its peers.
     */
    memory: { type: "boolean", default: false },
    /** Includes installed external engines. */
    peers: { type: "boolean", default: false },
  },
});

const minutes = Number(values.minutes);
if (values.memory) {
  // For what the sides start too: PostgreSQL's folder is a temporary one of its own.
  process.env["TMPDIR"] = MEMORY;
}
const directory = await mkdtemp(join(tmpdir(), "edgeloom-bench-"));
const startedAt = new Date();
const loadBefore = loadavg();
/** What is measured so far. */
const parts = new Parts(() => write({ isComplete: false }));
const file = join(
  ROWS,
  `${values.keep ?? `local-${startedAt.toISOString().replaceAll(":", "-")}`}.json`,
);
try {
  await measureAll(directory);
  await write({ isComplete: true });
  console.log(`\n${renderTable(parts.figures)}`);
  console.log(
    `\nLoad ${loadBefore.map((load) => load.toFixed(1)).join(" ")} before, ${loadavg()
      .map((load) => load.toFixed(1))
      .join(" ")} after. Rows: ${file}`,
  );
  for (const { part, reason } of parts.failed) {
    console.error(`FAILED ${part}: ${reason}`);
    process.exitCode = 1;
  }
  const missed = parts.figures.flatMap(({ targets }) => targets).filter((target) => !isMet(target));
  if (missed.length > 0) {
    console.log(`${missed.length} targets missed.`);
  }
} finally {
  await rm(directory, { recursive: true, force: true });
}

/** Writes the row of what is measured so far. */
async function write({ isComplete }: { readonly isComplete: boolean }): Promise<void> {
  await writeRow(file, {
    started_at: startedAt.toISOString(),
    machine: {
      cpu: cpus()[0]?.model.trim() ?? "unknown",
      cores: cpus().length,
      load_before: loadBefore,
      load_after: loadavg(),
      ...(values.memory && { folders: "memory" }),
    },
    versions: {
      node: process.version,
      workerd: await versionOf("workerd"),
      miniflare: await versionOf("miniflare"),
      ...(values.peers ? installedVersions() : {}),
    },
    commit: commit(),
    only: values.only,
    minutes,
    ...(isComplete ? {} : { is_unfinished: true }),
    ...(parts.failed.length > 0 && { failed: parts.failed }),
    figures: parts.figures,
  });
}

async function measureAll(root: string): Promise<void> {
  const inspectorPort = await freePort();
  const only = values.only.split(",");
  const wants = (name: string) => only.some((part) => name.includes(part));
  const take = async (name: string, measure: () => Promise<Figure | readonly Figure[]>) => {
    if (wants(name)) {
      const begunAt = performance.now();
      process.stderr.write(`measuring ${name} …\n`);
      const before = parts.figures.length;
      // If it fails, the other measurements continue; the row and the exit code then say so.
      await parts.take(name, measure);
      const took = ((performance.now() - begunAt) / 1000).toFixed(0);
      const lines = renderTable(parts.figures.slice(before)).split("\n").slice(2);
      process.stderr.write(`${lines.join("\n")}\n(${took} s)\n`);
    }
  };
  /** A service shared by measurements; it is not started if none of them is selected. */
  const together = async (
    names: Readonly<Record<string, (given: Together) => Promise<Figure | readonly Figure[]>>>,
  ) => {
    const wanted = Object.entries(names).filter(([name]) => wants(name));
    if (wanted.length === 0) {
      return;
    }
    const peers = await startPeers(join(root, "peers"));
    try {
      const service = await startService({ directory: join(root, "service") });
      try {
        for (const [name, measure] of wanted) {
          await take(name, () => measure({ service, client: service.client, peers }));
        }
      } finally {
        await service.stop();
      }
    } finally {
      await peers.stop();
    }
  };
  await together({
    // First, because files deleted by other measurements make new files slower for a while
    // (docs/decisions/measuring.md).
    "W6 submits": ({ client, peers }) => measureSubmits(client, peers),
    "W1 one step": ({ client, peers }) => measureSteps(client, peers, { steps: 1 }),
    "W2 ten steps": ({ client, peers }) => measureSteps(client, peers, { steps: 10 }),
    "W3 clients": ({ client, peers }) => measureConcurrency(client, peers),
    "W4 fan-out": ({ client, peers }) => measureFanOut(client, peers),
    "W5 slope": ({ service, peers }) => measureSlope(service, peers),
    "W10 bytes": ({ service, peers }) => measureStoredBytes(service, peers),
    poll: ({ client, peers }) => measurePoll(client, peers),
    "not-modified": ({ client }) => measureNotModified(client),
    trace: ({ client }) => measureTrace(client),
    "comparisons, past states": ({ client }) => measureComparisons(client),
    retries: ({ client }) => measureRetries(client),
    reuse: ({ client }) => measureReuse(client),
    batches: ({ service, peers }) =>
      measureBatches(service, peers, parts, {
        // On a disk, as many as there are items would take minutes in each round.
        ...(values.memory && { instances: 10_000 }),
        ...(values.peers && { engines: join(root, "batch-engines") }),
      }),
    "submits beside batches": ({ service }) =>
      measureBesideBatches(service, parts, { items: 10_000, rounds: 5 }),
    "embed tokens": ({ client, peers }) => measureEmbedTokens(client, peers),
    uploads: ({ client }) => measureUploads(client, join(root, "bare-files")),
    zip: ({ client }) => measureZip(client, join(root, "bare-zip")),
    fairness: ({ service }) => measureFairness(service),
    "paid-submits": ({ client }) => measurePaidSubmits(client),
    "W8 cancel": ({ service, peers }) => measureCancel(service, peers),
    "W9 rerun": ({ client }) => measureRerun(client),
    "batch exports": ({ client }) => measureBatchExports(client),
    "W6 open loop": ({ client, peers }) => measureOpenLoop(client, peers),
    sustained: ({ client, peers }) => measureSustained(client, peers),
    letters: ({ client }) => measureLetters(client),
    "embed start": ({ client }) => measureEmbedStart(client),
    "editor canvas": ({ client }) => measureEditor(client),
    "sustained tasks": ({ service, peers }) => measureTasks(service, peers),
  });
  await take("W7 kills", () => measureKills(join(root, "kills")));
  if (values.peers) {
    await take("peers", () => measureExternal(join(root, "external")));
  }
  await take("heap", async () => {
    const watched = await startService({ directory: join(root, "heap"), inspectorPort });
    try {
      return await measureHeap(watched.client, inspectorPort);
    } finally {
      await watched.stop();
    }
  });
  await take("batch heap", async () =>
    measureBatchHeap(join(root, "batch-heap"), await freePort()),
  );
  await take("bad input", () => measureRefusals(join(root, "bad-input")));
  await take("schedules", () => measureSchedules(join(root, "schedules")));
  await take("task costs", () => measureTaskCosts(join(root, "task-costs")));
  await take("template edits", () => measureTemplateEdits(join(root, "template-edits")));
  await take("streams", () => measureStreams(join(root, "streams")));
  await take("webhooks", () => measureWebhooks(join(root, "webhooks")));
  await take("datasets", () => measureDatasets(join(root, "datasets")));
  await take("documents", () => measureDocuments());
  await take("renders", () => measureRenders(join(root, "renders")));
  await take("pictures", () => measurePictures());
  await take("sounds", () => measureSounds(join(root, "sounds"), { minutes }));
  await take("films", () => measureFilms(join(root, "films")));
  await take("sound files", () => measureSoundFiles(join(root, "sound-files")));
  await take("model calls", () => measureModelCalls());
  await take("model runs", () => measureModelRuns(join(root, "model-runs")));
  await take("shards", () => measureShards(join(root, "shards")));
  await take("statements", () => measureStatements());
  await take("lists", () => measureLists(join(root, "lists")));
  await take("ready", () => measureReady(join(root, "ready")));
  await take("wake", () => measureWake(join(root, "wake")));
  await take("widget heap", () => measureWidgetHeap());
  await take("web sizes", () => measureWebSizes(join(root, "web-sizes")));
  await take("bundle", measureBundle);
}

interface Together {
  readonly service: RunningService;
  readonly client: ApiClient;
  readonly peers: Peers;
}

async function measureBundle(): Promise<Figure> {
  const { gzipBytes } = await measureDeploy("wrangler.toml");
  const runner = await measureDeploy("queues/wrangler.toml");
  const renderer = await measureDeploy("src/workers/renderer/wrangler.toml");
  return {
    name: "the API Worker as deployed, gzip",
    unit: "kB",
    ours: spread([gzipBytes / 1000]),
    beside: [
      { name: "the runner with its wasm", value: spread([runner.gzipBytes / 1000]) },
      { name: "the renderer with its wasm", value: spread([renderer.gzipBytes / 1000]) },
    ],
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
