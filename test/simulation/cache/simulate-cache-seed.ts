/**
 * One seed of a result cache: runs of two workspaces, one after the other, of a random graph and of edits of it, in all modes.
 * The run's object, its storage and its driver, the look-ups of runs and of executors, their writes and the tables of the cache
 * are the service's own, in a hostile world.
 */
import { Definition } from "../../../src/contracts/workflows/definition.ts";
import { CACHE_MODES, type CacheOptions } from "../../../src/contracts/runs/cache-options.ts";
import { compile } from "../../../src/engine/compile/compile.ts";
import { type Fault, FAULTS, LOSSES } from "../object/faults.ts";
import { Trial } from "../object/simulate-object-seed.ts";
import { randomEdit } from "../random-edit.ts";
import { type RandomGraph, randomGraph } from "../random-graph.ts";
import { type ReferenceElement } from "../reference-interpreter.ts";
import { referenceKey } from "../reference-reuse.ts";
import { SeededRandom } from "../seeded-random.ts";
import { findSimulatedNode, referenceOutcome } from "../simulate-seed.ts";
import { checkCachedRun, type KnownKeys, type Taken } from "./check-cached-run.ts";
import { SimulatedCache } from "./simulated-cache.ts";
import { type LookUpCounts, noLookUps, SimulatedLookUps } from "./simulated-look-ups.ts";

const TASK_CHANCE = 0.4;
const RUNS = 3;
/** In one world of so many, no Worker answers runs and executors do not know that they ask, as before both were deployed. */
const OLD_EVERY = 3;
/** Ages that entries may have, in seconds, and what passes between two runs, in milliseconds. */
const MAX_AGES = [null, null, 60, 3_600] as const;
const PASSED_MS = [0, 0, 0, 600_000] as const;

export interface CacheVerdict extends Taken {
  /** The first problem, undefined if there was none. */
  readonly problem: string | undefined;
  readonly crashes: number;
  /** Answers to the runs' own look-ups. */
  readonly lookUps: LookUpCounts;
}

export async function simulateCacheSeed(seed: number): Promise<CacheVerdict> {
  const random = new SeededRandom(seed * 86_028_121);
  const drawn = randomGraph(seed, findSimulatedNode, TASK_CHANCE);
  const first = withModes(withEqualRows(drawn, random), random);
  // In every other world nothing is lost: each result is kept.
  const faults: readonly Fault[] = FAULTS.filter(
    (fault) => seed % 2 === 0 || !LOSSES.includes(fault),
  );
  const cache = new SimulatedCache();
  const known = new Map<string, KnownKeys>();
  const taken: Taken = { worked: 0, fromOthers: 0, fromOwn: 0 };
  const lookUps = noLookUps();
  let crashes = 0;
  try {
    for (let at = 0; at < RUNS; at += 1) {
      const edited =
        at === 0 || random.chance(0.6)
          ? first
          : (randomEdit(first, random, findSimulatedNode) ?? first);
      const workspace = random.chance(0.8) ? "ws_1" : "ws_2";
      const results = known.get(workspace) ?? new Map();
      known.set(workspace, results);
      cache.pass(random.pick(PASSED_MS));
      const made = await oneRun(
        {
          seed: seed * RUNS + at,
          run: `run_${at}`,
          workspace,
          graph: edited,
          options: at === 0 ? withAge("read_write", random) : randomOptions(random),
          faults,
          counts: seed % OLD_EVERY === 0 ? undefined : lookUps,
        },
        cache,
        results,
        taken,
      );
      crashes += made.crashes;
      if (made.problem !== undefined) {
        return { ...taken, crashes, lookUps, problem: `run ${at}: ${made.problem}` };
      }
    }
  } finally {
    cache.close();
  }
  return { ...taken, crashes, lookUps, problem: undefined };
}

interface Started {
  readonly seed: number;
  readonly run: string;
  readonly workspace: string;
  readonly graph: RandomGraph;
  readonly options: CacheOptions | null;
  readonly faults: readonly Fault[];
  /** Of the runs' own look-ups; undefined in a world without them. */
  readonly counts: LookUpCounts | undefined;
}

async function oneRun(
  { seed, run, workspace, graph, options, faults, counts }: Started,
  cache: SimulatedCache,
  known: KnownKeys,
  taken: Taken,
): Promise<{ readonly problem: string | undefined; readonly crashes: number }> {
  const elements = new Map<string, ReferenceElement>();
  let result;
  try {
    result = await referenceOutcome(graph, false, (element) => {
      elements.set(referenceKey(element.node.id, element.indices), element);
    });
  } catch {
    // A submit would reject its inputs.
    return { problem: undefined, crashes: 0 };
  }
  const { plan } = compile(graph.definition, findSimulatedNode);
  if (plan === undefined) {
    throw new Error("does not compile");
  }
  const dice = new SeededRandom(seed * 67_867_967);
  const lookUps = counts && new SimulatedLookUps(cache, { workspace, run }, dice, counts);
  cache.removed.clear();
  const of = {
    before: cache.kept,
    startedMs: cache.nowMs,
    workspace,
    run,
    options,
    cache,
    lookUps,
    known,
    elements,
    result,
  };
  const check = (ended: Parameters<typeof checkCachedRun>[1]) => checkCachedRun(of, ended, taken);
  const cached = { workspace, run, cache, lookUps, options, check };
  const trial = new Trial(seed, graph, plan, new Set(faults), false, false, cached);
  try {
    const { problem, crashes } = await trial.run();
    return { problem, crashes };
  } finally {
    trial.world.storage.close();
  }
}

/** Rows of few contents, of which each is worked on by tasks in a row and beside one another. */
function withEqualRows({ definition, inputs }: RandomGraph, random: SeededRandom): RandomGraph {
  const contents = random.int(1, 3);
  const rows = Array.from({ length: random.int(2, 6) }, () => random.int(1, contents));
  const seeds = Array.from({ length: 3 }, () => random.int(1, 2));
  const task = (id: string, at: number) => ({
    id,
    type: "fake/task",
    parameters: { seed: seeds[at], refuse_percent: random.pick([0, 15]) },
  });
  const added = Definition.parse({
    nodes: [
      { id: "equal_rows", type: "input/json", parameters: {} },
      task("equal_a", 0),
      task("equal_b", 1),
      task("equal_c", 2),
      { id: "equal_out", type: "output/json", parameters: {} },
      { id: "equal_text", type: "output/text", parameters: {} },
    ],
    connections: [
      ["equal_rows.item", "equal_a.value"],
      ["equal_rows.item", "equal_b.value"],
      ["equal_a.out", "equal_c.value"],
      ["equal_b.out", "equal_out.json"],
      ["equal_c.text", "equal_text.text"],
    ].map(([from = "", to = ""]) => ({ from: endOf(from), to: endOf(to) })),
  });
  return {
    inputs: new Map([...inputs, ["equal_rows", rows]]),
    definition: {
      ...definition,
      nodes: [...definition.nodes, ...added.nodes],
      connections: [...definition.connections, ...added.connections],
    },
  };
}

function endOf(text: string): { node: string; port: string } {
  const [node = "", port = ""] = text.split(".");
  return { node, port };
}

/** Some of the tasks' nodes have a mode of their own. */
function withModes(graph: RandomGraph, random: SeededRandom): RandomGraph {
  const nodes = graph.definition.nodes.map((node) =>
    node.type.startsWith("fake/") && random.chance(0.3)
      ? { ...node, cache: withAge(random.pick([...CACHE_MODES, "read_write"]), random) }
      : node,
  );
  return { ...graph, definition: { ...graph.definition, nodes } };
}

function randomOptions(random: SeededRandom): CacheOptions | null {
  const mode = random.pick([
    null,
    "off",
    "read",
    "read_write",
    "read_write",
    "read_write",
  ] as const);
  return mode && withAge(mode, random);
}

function withAge(mode: CacheOptions["mode"], random: SeededRandom): CacheOptions {
  const age = random.pick(MAX_AGES);
  return { mode, ...(age !== null && { max_age: age }) };
}
