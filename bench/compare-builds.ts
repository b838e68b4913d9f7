/**
 * `npm run bench:builds -- --other DIR`: measures this build and another in turns, so that both have the same machine in
 * the same minutes. Rows of two days cannot tell a slower build from a slower day: the bare object itself varied by a third.
 */
import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { cpus, loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type RunningService, startService } from "../test/support/node/start-service.ts";
import { chain, fanOut, fanOutText } from "./bench-workflows.ts";
import { closedLoop } from "./closed-loop.ts";
import {
  awaitEnds,
  type Contender,
  edgeloom,
  runOnce,
  type Started,
  timeRun,
} from "./contenders.ts";
import { atMost, type Figure } from "./figure.ts";
import { interleave } from "./interleave.ts";
import { measureRerun } from "./measure-rerun.ts";
import { openLoop } from "./open-loop.ts";
import { renderTable } from "./render-table.ts";
import { median, quantile, spread } from "./statistics.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** At most so much slower than the other build. */
const SLOWER_MAX = 1.05;
const NODES = 2;

const { values } = parseArgs({
  options: {
    /** Another checkout of the project, with its packages installed. */
    other: { type: "string" },
    rounds: { type: "string", default: "16" },
    /** Name of the kept rows, to be committed. */
    keep: { type: "string" },
  },
});
if (values.other === undefined) {
  throw new Error(
    "Give another checkout of the project, with its packages installed: --other DIR.",
  );
}
const other = resolve(values.other);
const rounds = Number(values.rounds);
const directory = await mkdtemp(join(tmpdir(), "edgeloom-builds-"));
const startedAt = new Date();
const loadBefore = loadavg();
const started: RunningService[] = [];
try {
  for (const [name, root] of [
    ["ours", ROOT],
    ["theirs", other],
  ] as const) {
    // oxlint-disable-next-line no-await-in-loop -- one start does not slow down the other
    started.push(await startService({ root, directory: join(directory, name) }));
  }
  const figures = await measureAll(started[0]!, started[1]!);
  console.log(renderTable(figures));
  if (values.keep !== undefined) {
    const row = {
      started_at: startedAt.toISOString(),
      machine: {
        cpu: cpus()[0]?.model.trim(),
        cores: cpus().length,
        load_before: loadBefore,
        load_after: loadavg(),
      },
      versions: { node: process.version },
      commit: commitOf(ROOT),
      only: "builds",
      figures,
    };
    const text = JSON.stringify(row, null, 2).replaceAll(/\[[-\d.e+,\s]*\]/g, (list) =>
      list.replaceAll(/\s+/g, ""),
    );
    await writeFile(join(ROOT, "bench/rows", `${values.keep}.json`), `${text}\n`);
  }
} finally {
  await Promise.all(started.map((service) => service.stop()));
  await rm(directory, { recursive: true, force: true });
}

interface Pair {
  readonly ours: RunningService;
  readonly theirs: RunningService;
}

async function measureAll(ours: RunningService, theirs: RunningService): Promise<Figure[]> {
  const pair = { ours, theirs };
  return [
    ...(await measureConcurrency(pair)),
    ...(await measureFanOuts(pair)),
    ...(await measureOpenLoop(pair)),
    await measureReruns(pair),
  ];
}

async function contenders({ ours, theirs }: Pair, workflow: ReturnType<typeof chain>) {
  return {
    ours: await edgeloom(ours.client, workflow),
    theirs: await edgeloom(theirs.client, workflow),
  };
}

/** W3 without checks of every step: those are made where W3 is measured. */
async function measureConcurrency(pair: Pair): Promise<Figure[]> {
  const both = await contenders(pair, chain(10));
  const figures: Figure[] = [];
  for (const clients of [1, 4, 16, 64]) {
    const msOf = (contender: Contender) => async () => {
      const { done, elapsedMs } = await closedLoop(
        () => runOnce(contender, "10", Math.max(2, clients)),
        { clients, starts: 200, forMs: 4_000 },
      );
      return elapsedMs / done;
    };
    // oxlint-disable-next-line no-await-in-loop -- one after the other, or they would slow down each other
    const ms = await interleave(rounds, { ours: msOf(both.ours), theirs: msOf(both.theirs) }, 1);
    const who = clients === 1 ? "1 client" : `${clients} clients`;
    figures.push(figureOf(`time for each of 200 runs of 10 steps by ${who}`, "ms", ms));
  }
  return figures;
}

async function measureFanOuts(pair: Pair): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const size of [1_000, 5_000]) {
    /* oxlint-disable no-await-in-loop -- one after the other, or they would slow down each other */
    const both = await contenders(pair, fanOut(size));
    const msOf = (contender: Contender) => () =>
      timeRun(contender, fanOutText(size), { effects: NODES * size });
    const times = { ours: msOf(both.ours), theirs: msOf(both.theirs) };
    const ms = await interleave(rounds * 2, times);
    /* oxlint-enable no-await-in-loop */
    figures.push(figureOf(`fan-out of ${size} items through two nodes to an aggregate`, "ms", ms));
  }
  return figures;
}

/** W6, in windows of five seconds. */
async function measureOpenLoop(pair: Pair): Promise<Figure[]> {
  const both = await contenders(pair, chain(1));
  const latencies = { ours: [] as number[][], theirs: [] as number[][] };
  const windowOf = (name: "ours" | "theirs") => async () => {
    const runs: Started[] = [];
    const submit = async () => {
      runs.push(await both[name].start());
    };
    const window = await openLoop(submit, { perSecond: 100, calls: 500 });
    await awaitEnds(both[name], runs, "1");
    latencies[name].push(window);
    return median(window);
  };
  const windows = { ours: windowOf("ours"), theirs: windowOf("theirs") };
  const medians = await interleave(Math.ceil(rounds / 2), windows, 1);
  // The first window warms up.
  const p99 = (name: "ours" | "theirs") => latencies[name].slice(1).map((w) => quantile(w, 0.99));
  return [
    figureOf("a submit, 100 due each second, median of a window of 5 s", "ms", medians),
    figureOf("the same, 99th percentile", "ms", { ours: p99("ours"), theirs: p99("theirs") }),
  ];
}

/** W9: what the second run takes of the first one's time, which is noise alone where nothing is reused. */
async function measureReruns({ ours, theirs }: Pair): Promise<Figure> {
  const secondsOf = (service: RunningService) => async () => {
    const [figure] = await measureRerun(service.client, { rounds: 1, isRetried: false });
    return figure!.ours.median;
  };
  const seconds = { ours: secondsOf(ours), theirs: secondsOf(theirs) };
  const name = "a run of 10,000 codes of which 100 failed, submitted again with the cause fixed";
  return figureOf(name, "s", await interleave(Math.ceil(rounds / 4), seconds, 0));
}

/** The change is the median over the rounds of ours beside theirs of the same round. */
function figureOf(
  name: string,
  unit: string,
  { ours, theirs }: Readonly<Record<"ours" | "theirs", readonly number[]>>,
): Figure {
  const change = median(ours.map((ms, round) => ms / theirs[round]!));
  return {
    name: `${name}, in turns with the build of ${dateOf(other)}`,
    unit,
    ours: spread(ours),
    beside: [{ name: `the build ${commitOf(other)}`, value: spread(theirs) }],
    targets: [atMost(`≤ ${SLOWER_MAX} × in the median of rounds`, change, SLOWER_MAX)],
  };
}

function git(root: string, ...args: string[]): string {
  return execFileSync("git", ["-C", root, ...args], { encoding: "utf8" }).trim();
}

function commitOf(root: string): string {
  return git(root, "rev-parse", "--short", "HEAD");
}

function dateOf(root: string): string {
  return git(root, "log", "-1", "--format=%cs");
}
