/** Builds the simulation with an engine that has one fault planted in its source. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { compileFunction } from "node:vm";
import { build } from "esbuild";
import type { ModelsVerdict } from "./models/models-verdict.ts";
import type { CacheVerdict } from "./cache/simulate-cache-seed.ts";
import type { Mutation } from "./mutations.ts";
import type { Fault } from "./object/faults.ts";
import type { ObjectVerdict } from "./object/object-verdict.ts";
import type { RandomGraph } from "./random-graph.ts";

const ROOT = join(import.meta.dirname, "../..");

const CLOCK = "test/simulation/object/simulated-clock.ts";
const REGISTRY = "src/nodes/registry.ts";
/** The object finds its nodes in the registry, which must contain one that uses the queue. */
const KNOWS_FAKE_TASK = {
  file: REGISTRY,
  from: "NODE_TYPES.map((node)",
  to: "[...NODE_TYPES, fakeTaskNode, fakeGatherNode, fakeModelNode].map((node)",
};

const CACHEABLE = "src/engine/reuse/elsewhere.ts";
/** A run with a cache uses it for them. */
const CACHES_FAKE_TASKS = {
  file: CACHEABLE,
  from: 'const PREFIXES = ["image/",',
  to: 'const PREFIXES = ["fake/", "image/",',
};

const PAGES = "durable-objects/run/blocks/element-pages.ts";
/** Pages are short, so that small graphs have several, and some of them are empty. */
const HAS_SHORT_PAGES = {
  file: PAGES,
  from: "const PAGE_ELEMENTS_MAX = 1_000;",
  to: "const PAGE_ELEMENTS_MAX = 2;",
};
const HAS_SHORT_VISITS = {
  file: PAGES,
  from: "const PAGE_VISITS_MAX = 2_000;",
  to: "const PAGE_VISITS_MAX = 3;",
};

const ASKED = "src/engine/drive/asked-elements.ts";
/** A run looks few elements up at a time, so that a page has some of them, and gives up what it has found when memory is short. */
const HAS_SHORT_LOOK_UPS = [
  { file: ASKED, from: "const ASKED_MAX = 2_560;", to: "const ASKED_MAX = 4;" },
  { file: ASKED, from: "const ASKED_MIN = 250;", to: "const ASKED_MIN = 2;" },
  { file: ASKED, from: "const UNCOUNTED_CHARS = 32 * 1024;", to: "const UNCOUNTED_CHARS = 0;" },
];
const DRIVER = "src/engine/drive/run-driver.ts";
/** And settles even fewer at a time. */
const SETTLES_FEW = {
  file: DRIVER,
  from: "const FOUND_MAX = 512;",
  to: "const FOUND_MAX = 2;",
};

const WAKE = "durable-objects/run/wake-run.ts";
/** And it is woken by the code that its world has deployed. */
const KNOWS_DEPLOYS = {
  file: WAKE,
  from: "return planOf(metadata, definitionJson);",
  to: "return deployedPlan(planOf(metadata, definitionJson));",
};

export interface BuiltSimulation {
  readonly simulateSeed: typeof import("./simulate-seed.ts").simulateSeed;
  readonly simulateRetrySeed: typeof import("./simulate-retry-seed.ts").simulateRetrySeed;
  readonly simulateMoneySeed: typeof import("./simulate-money-seed.ts").simulateMoneySeed;
  // Explicit, because the object's own types are those of workerd, which scripts do not have.
  readonly simulateObjectSeed: (seed: number, without?: readonly Fault[]) => Promise<ObjectVerdict>;
  /** The same, with a deploy between two steps. */
  readonly simulateDeploySeed: (seed: number) => Promise<ObjectVerdict>;
  /** A run whose tasks ask models of providers that lie. */
  readonly simulateModelsSeed: (seed: number) => Promise<ModelsVerdict>;
  /** Runs with a result cache, one after the other. */
  readonly simulateCacheSeed: (seed: number) => Promise<CacheVerdict>;
  readonly simulateObjectGraph: (
    seed: number,
    graph: RandomGraph,
    without?: readonly Fault[],
  ) => Promise<ObjectVerdict>;
  readonly verifyWebhookCase: (world: {
    readonly seed: number;
    readonly events: number;
    readonly killChance: number;
    readonly changes: boolean;
  }) => string | undefined;
}

/**
 * Throws unless the text that the mutation changes occurs exactly once: mutations must follow changes of the engine.
 */
export async function buildMutated(mutation: Mutation | undefined): Promise<BuiltSimulation> {
  const { outputFiles } = await build({
    stdin: {
      contents: `export * from "./test/simulation/simulate-seed.ts";
export * from "./test/simulation/simulate-money-seed.ts";
export * from "./test/simulation/simulate-retry-seed.ts";
export * from "./test/simulation/object/simulate-object-seed.ts";
export * from "./test/simulation/models/simulate-models-seed.ts";
export * from "./test/simulation/cache/simulate-cache-seed.ts";
export * from "./test/simulation/webhooks/verify-webhook-case.ts";`,
      resolveDir: ROOT,
    },
    bundle: true,
    packages: "external",
    platform: "node",
    format: "cjs",
    target: "node20",
    write: false,
    // The object runs in Node, with the time and the random numbers of the simulated world.
    alias: { "cloudflare:workers": join(ROOT, "test/support/node/cloudflare-workers.ts") },
    inject: [join(ROOT, CLOCK)],
    define: {
      "Date.now": "simulatedNow",
      "Math.random": "simulatedRandom",
      setTimeout: "simulatedTimeout",
      clearTimeout: "simulatedClearTimeout",
      setInterval: "simulatedInterval",
      clearInterval: "simulatedClearTimeout",
      scheduler: "simulatedScheduler",
      console: "simulatedConsole",
    },
    plugins: [
      {
        name: "edit",
        setup: (hooks) => {
          hooks.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
            const contents = await readFile(path, "utf8");
            return { contents: edit(path, contents, mutation), loader: "ts" };
          });
        },
      },
    ],
  });
  return evaluate(outputFiles[0]!.text);
}

/** A module that was imported stays in memory until its thread ends, 12 MB for each mutation; what a function made does not. */
function evaluate(code: string): BuiltSimulation {
  const module: { exports: unknown } = { exports: {} };
  const run = compileFunction(code, ["module", "exports", "require"]) as (
    ...names: readonly unknown[]
  ) => void;
  run(module, module.exports, createRequire(join(ROOT, "package.json")));
  return module.exports as BuiltSimulation;
}

function edit(path: string, contents: string, mutation: Mutation | undefined): string {
  const edits = mutation === undefined ? [] : [mutation, ...(mutation.also ?? [])];
  const mutated = edits
    .filter(({ file }) => path === join(ROOT, file))
    .reduce((text, each) => mutate(text, each), contents);
  switch (path) {
    case join(ROOT, REGISTRY):
      return `import { fakeGatherNode, fakeTaskNode } from "../../test/simulation/fake-task-node.ts";
import { fakeModelNode } from "../../test/simulation/models/fake-model-node.ts";
${mutate(mutated, KNOWS_FAKE_TASK)}`;
    case join(ROOT, WAKE):
      return `import { deployedPlan } from "../../test/simulation/object/simulated-deploys.ts";
${mutate(mutated, KNOWS_DEPLOYS)}`;
    case join(ROOT, CACHEABLE):
      return mutate(mutated, CACHES_FAKE_TASKS);
    case join(ROOT, PAGES):
      return mutate(mutate(mutated, HAS_SHORT_PAGES), HAS_SHORT_VISITS);
    case join(ROOT, ASKED):
      return HAS_SHORT_LOOK_UPS.reduce(mutate, mutated);
    case join(ROOT, DRIVER):
      return mutate(mutated, SETTLES_FEW);
    default:
      return mutated;
  }
}

function mutate(
  contents: string,
  { file, from, to }: Pick<Mutation, "file" | "from" | "to">,
): string {
  const parts = contents.split(from);
  if (parts.length !== 2) {
    throw new Error(`${file} has the text "${from}" ${parts.length - 1} times, not once`);
  }
  return parts.join(to);
}
