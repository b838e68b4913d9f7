import { readdirSync, readFileSync, statfsSync } from "node:fs";
import * as nodeModule from "node:module";
import { freemem } from "node:os";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { defineConfig, type Plugin } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { buildAssets } from "./scripts/build-assets.ts";
import { bundleWorker } from "./scripts/bundle-worker.ts";
import { loadMiniflare } from "./scripts/load-miniflare.ts";
import { suppressExpectedFaults } from "./test/support/node/suppress-expected-faults.ts";
import { IS_PROOF, sizeOf } from "./test/support/sizes.ts";

useMemoryForFolders();
await buildAssets();
// Before the pool, which then has the same Miniflare: one that encodes the Workers without copying them again and again.
// Other tools load this file on the machine's own Node, which may be older than the project's and have no hooks.
if ("registerHooks" in nodeModule) {
  loadMiniflare();
}
const { cloudflareTest, readD1Migrations } = await import("@cloudflare/vitest-pool-workers");
suppressExpectedFaults(process.stdout, process.stderr);

// For the threads of the `unit` project, which begin later: fewer and cheaper collections of short-lived objects. 72 of
// its files took 40.5 s of CPU time with 64 MB, and 45.0 s with V8's own 16 MB.
setFlagsFromString("--max-semi-space-size=64");

// V8's sweeper of C++ objects can wait forever for its helper threads and block the main thread
// (docs/decisions/single-threaded-gc.md); the workerd of these tests therefore runs without helper threads.
process.env["MINIFLARE_WORKERD_V8_FLAGS"] ??= "--single-threaded-gc";

/**
 * Puts the folders of the services under test into memory if the system has such a file system and both have room: they
 * create and delete thousands of small files, which a slow disk handles worse than the tests themselves. An explicit
 * `TMPDIR` is kept.
 */
function useMemoryForFolders(): void {
  const folder = "/dev/shm";
  try {
    const { bavail, bsize } = statfsSync(folder);
    if (
      process.env["TMPDIR"] === undefined &&
      Math.min(bavail * bsize, freemem()) > 8 * 1024 ** 3
    ) {
      process.env["TMPDIR"] = folder;
    }
  } catch {
    // Without such a file system the disk is used.
  }
}

/**
 * Returns the test files below these folders. The proof runs only files that do more there than in `npm test`,
 * according to their source; the others ran in `npm test` already.
 */
function filesIn(...folders: readonly string[]): string[] {
  return allFilesIn(...folders).filter((file) =>
    IS_PROOF
      ? /from "[^"]*support\/(?:sizes|in-proof)\.ts"|support\/only-in-proof\.ts|FUZZ_EXECUTIONS/.test(
          textOf(file),
        )
      : !textOf(file).includes("support/only-in-proof.ts"),
  );
}

function allFilesIn(...folders: readonly string[]): string[] {
  return folders.flatMap((folder) =>
    readdirSync(new URL(`test/${folder}/`, import.meta.url), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".test.ts"))
      .map((name) => `test/${folder}/${name}`),
  );
}

/**
 * Tests that measure the memory of their process, replace a module that others import, or have processes that are killed need a
 * process of their own.
 */
function isApart(file: string): boolean {
  return /support\/datasets\/live-bytes\.ts|scripts\/checks\.ts|\bvi\.mock\(/.test(textOf(file));
}

function textOf(file: string): string {
  return readFileSync(new URL(file, import.meta.url), "utf8");
}

const HAS_SHARDS = process.env["WORKER_SHARDS"] === "1";

/** Databases of tests that are shards 1 and 2, by the beginning of their bindings' names. */
function shardsAs(prefix: "DB" | "SHARD"): Readonly<Record<string, string>> {
  return { [`${prefix}_1`]: "shard-1", [`${prefix}_2`]: "shard-2" };
}

/** Of the Workers beside the one under test: they have its databases. */
const DATABASES = {
  DB: "00000000-0000-0000-0000-000000000000",
  ...(HAS_SHARDS && shardsAs("DB")),
};

/** For bindings that the environment check requires, and that no test of the Worker calls. */
const ABSENT = { absent: true };

/** The runner's entry point that checks fonts; the rest of the runner has its own tests. */
const fontChecker = {
  name: "edgeloom-runner",
  modules: await bundleWorker(
    fileURLToPath(new URL("test/support/fonts/font-checker-worker.ts", import.meta.url)),
  ),
  compatibilityDate: "2026-07-01",
  compatibilityFlags: ["nodejs_compat"],
  r2Buckets: { FILES: "edgeloom-files" },
  // Shards for moves alone (test/support/fonts/font-checker-worker.ts): without WORKER_SHARDS, they have no tables at first.
  d1Databases: { ...DATABASES, ...shardsAs("SHARD") },
  durableObjects: {
    CACHE: { className: "CacheObject", useSQLite: true },
    ORGANIZATION_MOVE: { className: "OrganizationMoveObject", useSQLite: true },
    BATCH_EXPORT: { className: "BatchExportObject", useSQLite: true },
  },
  bindings: {
    ENVIRONMENT: "local",
    BOOT_ID: "test",
    EXECUTOR: ABSENT,
    RENDERER_EXECUTOR: ABSENT,
    MEDIA_EXECUTOR: ABSENT,
    SOUND_DECODER: ABSENT,
    WEBHOOK_ENDPOINT: ABSENT,
    WEBHOOK_SENDER: ABSENT,
    ZIP_EXPORT: ABSENT,
    ZIP_BUILDER: ABSENT,
    PROVIDER_GATE: ABSENT,
  },
};

/** The renderer's entry point for the API Worker; its executor objects are tested on whole services. */
const renderer = {
  name: "edgeloom-renderer",
  modules: await bundleWorker(
    fileURLToPath(new URL("test/support/render/renderer-worker.ts", import.meta.url)),
  ),
  compatibilityDate: "2026-07-01",
  compatibilityFlags: ["nodejs_compat"],
  r2Buckets: { FILES: "edgeloom-files" },
  d1Databases: DATABASES,
  serviceBindings: {
    ASSETS: {
      disk: { path: fileURLToPath(new URL("dist/assets", import.meta.url)), writable: false },
    },
  },
  bindings: {
    ENVIRONMENT: "local",
    BOOT_ID: "test",
    RUN: ABSENT,
    EXECUTOR: ABSENT,
    RESULT_CACHE: ABSENT,
  },
};

/**
 * One workerd runs one file after another, and `worker-setup.ts` empties it in between (docs/testing.md lists the rules
 * for files). The files of a project follow each other (`LongestFirst`), because vitest keeps a workerd only while the next file
 * belongs to the same project.
 */
const SHARED_WORKERD = { isolate: false } as const;

const FAST_MODULES = ["test/support/fast-modules.ts"];

/**
 * Removes the sources' texts from source maps. Each module is sent with its map to each thread, process and workerd, where
 * only positions are looked up: the excerpts of a failure come from the files.
 */
const WITHOUT_SOURCE_TEXTS: Plugin = {
  name: "without-source-texts",
  configureServer({ environments }) {
    for (const environment of Object.values(environments)) {
      const transform = environment.transformRequest.bind(environment);
      environment.transformRequest = async (url) => {
        const result = await transform(url);
        if (result?.map !== null && result?.map !== undefined && "sourcesContent" in result.map) {
          result.map.sourcesContent = [];
        }
        return result;
      };
    }
  },
};

/** Gives modules of Workers their wasm as bundlers do: compiled, so that tests in Node have the Workers' own tools. */
const COMPILED_WASM: Plugin = {
  name: "compiled-wasm",
  enforce: "pre",
  async resolveId(source, importer) {
    if (!source.endsWith(".wasm")) {
      return null;
    }
    const found = await this.resolve(source, importer, { skipSelf: true });
    // Another ending, so that nothing else takes the module for one of Node's or of Vite's.
    return found === null ? null : `\0${found.id}.compiled`;
  },
  load(id) {
    return id.startsWith("\0") && id.endsWith(".wasm.compiled")
      ? `import { readFileSync } from "node:fs";
         export default new WebAssembly.Module(readFileSync(${JSON.stringify(id.slice(1, -".compiled".length))}));`
      : null;
  },
};

/** Suites that the proof also runs under a stopped clock. */
const FROZEN_TOO =
  /worker\/(?:frozen-clock\/.*|executions\/(?:executions|trace)|run\/run-object)\.test\.ts$/;

/** The runner with the objects of the Worker under test, which the pool names by the project. */
function runnerOf(project: string) {
  const scriptName = `vitest-pool-workers-runner-${project}`;
  return {
    ...fontChecker,
    durableObjects: {
      ...fontChecker.durableObjects,
      BATCH: { className: "BatchObject", scriptName, useSQLite: true },
      RUN: { className: "RunObject", scriptName, useSQLite: true },
    },
  };
}

/** The whole Worker in workerd, with real bindings. */
async function workerd(project: string) {
  return cloudflareTest({
    main: "./src/worker.ts",
    wrangler: { configPath: "./wrangler.toml" },
    miniflare: {
      cf: false,
      // Shards of tests that give them to the Worker as DB_1 and DB_2 (test/support/shards.ts); with WORKER_SHARDS=1
      // all files of this suite have them, and their organizations are on shard 1.
      d1Databases: shardsAs(HAS_SHARDS ? "DB" : "SHARD"),
      workers: [runnerOf(project), renderer],
      serviceBindings: { CACHE_DOOR: { name: "edgeloom-runner", entrypoint: "CacheDoor" } },
      bindings: {
        ENVIRONMENT: "local",
        JWT_SECRET: "a secret of the tests, at least 32 bytes long",
        ADMIN_TOKEN: "the-operator-token-of-the-tests",
        PROVIDER_KEYS_SECRET: "dGhlIHByb3ZpZGVyIHNlY3JldCBvZiB0aGUgdGVzdHM=",
        FUZZ_EXECUTIONS: sizeOf("workerFuzz"),
        ...(HAS_SHARDS && { WORKER_SHARDS: "1" }),
        // As `process.env` in workerd, for test/support/sizes.ts.
        ...(IS_PROOF && { PROOF: "1" }),
        TEST_MIGRATIONS: await readD1Migrations("./src/storage/migrations"),
      },
    },
  });
}

/**
 * For a test that will never end, and for nothing else: a slow machine with other work must not fail a test. A run in which
 * nothing ends any more is ended by the reporter.
 */
const TEST_TIMEOUT_MS = 300_000;

const ON_SERVICES = {
  globalSetup: ["test/support/node/offer-shared-service.ts"],
  setupFiles: [...FAST_MODULES, "test/support/e2e-setup.ts"],
  environment: "node",
  // Each process keeps the modules it has imported, which takes 2 to 4 s otherwise. The proof measures processes.
  isolate: IS_PROOF,
  testTimeout: TEST_TIMEOUT_MS,
  hookTimeout: TEST_TIMEOUT_MS,
};

/**
 * The files that take longest, so that none of them begins when the others of its project have ended: the longest first. Those
 * of the proof take other times, since other tests of theirs are costly.
 */
const LONGEST = (
  IS_PROOF
    ? [
        "worker/moves/step-move",
        "e2e/provider-kills",
        "e2e/live-bytes-media",
        "e2e/live-bytes-twenty",
        "e2e/crash",
        "e2e/live-bytes-pictures",
        "e2e/live-bytes-films",
        "e2e/polls",
        "e2e/media-kills",
        "e2e/row-counts",
        "e2e/moves",
        "e2e/batch-kills",
        "e2e/cached-kills",
        "e2e/live-bytes-many",
        "e2e/bench",
        "e2e/schedule-kill",
        "e2e/widget",
        "e2e/editor",
        "e2e/pages",
        "e2e/fuzz",
        "e2e/live-bytes-exports",
        "e2e/live-bytes-datasets",
        "e2e/assets",
        "e2e/large-pdfs",
        "e2e/live-bytes",
        "e2e/webhooks",
        "e2e/live-bytes-renders",
        "e2e/batch-export-kill",
        "e2e/deploys",
        "e2e/guides",
        "e2e/boot",
        "e2e/live-bytes-waiting",
        "simulation/retries",
        "simulation/mutations",
        "unit/render/accounting",
        "unit/media/container/cut-sounds",
        "conformance/fonts/fuzz-fonts",
        "simulation/cache/cache",
        "simulation/object/object",
        "simulation/simulation",
        "unit/images/jpeg/damaged-jpegs",
        "unit/images/svg/svg-fuzz",
        "unit/media/cutting/cut-videos",
        "unit/images/svg/renderer-memory",
        "unit/render/pdf/sampled-pages",
        "unit/media/dsp/ffmpeg-meter",
        "unit/render/hostile-corpora",
        "unit/media/container/fuzz-sounds",
      ]
    : [
        "unit/images/image-fuzz",
        "simulation/retries",
        "unit/engine/drive/asked-elements",
        "unit/media/film/film-judges",
        "unit/media/dsp/sound-meter",
        "unit/media/container/long-sounds",
        "simulation/cache/cache",
        "unit/media/container/sample-table",
        "simulation/templates/cut-publications",
        "simulation/object/object",
        "simulation/mutations",
        "simulation/simulation",
        "worker/workspace/starts",
        "worker/moves/step-move",
        "worker/executions/retries",
        "worker/batches/batches",
        "worker/embeds/route-refusals",
        "worker/run/cancel",
        "worker/run/inline-retries",
        "worker/assets/refusals-leave-nothing",
        "worker/workspace/run-index",
        "worker/fonts/refused",
        "worker/batches/exports",
        "worker/executions/zip",
        "e2e/crash",
        "e2e/boot",
        "e2e/guides",
        "e2e/media-kills",
        "e2e/runner",
        "e2e/editor",
        "e2e/pages",
        "e2e/widget",
        "e2e/pictures",
        "e2e/cli",
        "e2e/sample-models",
        "e2e/audio-timeline",
        "e2e/money",
        "e2e/webhooks",
        "e2e/first-minutes",
        "e2e/moves",
        "e2e/shards",
        "e2e/samples",
        "e2e/assets",
        "e2e/full-disk",
        "e2e/deploys",
        "e2e/media-cuts",
        "e2e/datasets",
      ]
).map((name) => `/test/${name}.test.ts`);

/** Projects whose files follow all others of those with which they run together. */
const LATER: Readonly<Record<string, number>> = {
  // The threads of `unit` end when they meet a file of another project.
  memory: 1,
};

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification) => {
      const found = LONGEST.findIndex((name) => moduleId.endsWith(name));
      const place = found === -1 ? LONGEST.length : found;
      return (LATER[project.name] ?? 0) * (LONGEST.length + 1) + place;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    // The Worker logs one line per request; shown if a test fails.
    silent: "passed-only",
    // A state that `expect.poll` waits for can take long on a busy machine.
    expect: { poll: { timeout: 120_000 } },
    projects: [
      {
        plugins: [COMPILED_WASM, WITHOUT_SOURCE_TEXTS],
        test: {
          name: "unit",
          setupFiles: FAST_MODULES,
          include: filesIn("unit", "simulation", "conformance").filter((file) => !isApart(file)),
          environment: "node",
          testTimeout: TEST_TIMEOUT_MS,
          hookTimeout: TEST_TIMEOUT_MS,
          // Two threads that keep their imported modules.
          pool: "threads",
          isolate: false,
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        plugins: [COMPILED_WASM, WITHOUT_SOURCE_TEXTS],
        test: {
          name: "memory",
          setupFiles: FAST_MODULES,
          include: filesIn("unit", "simulation", "conformance").filter(isApart),
          environment: "node",
          testTimeout: TEST_TIMEOUT_MS,
          hookTimeout: TEST_TIMEOUT_MS,
          pool: "forks",
          // Together with `unit`, so that neither of two cores waits for the last file of the other project.
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        plugins: [await workerd("worker")],
        test: {
          name: "worker",
          testTimeout: TEST_TIMEOUT_MS,
          hookTimeout: TEST_TIMEOUT_MS,
          include: filesIn("worker").filter((file) => !file.includes("/frozen-clock/")),
          ...SHARED_WORKERD,
          // Many tests wait for alarms and leases.
          maxWorkers: 3,
          setupFiles: ["test/support/worker-setup.ts"],
          sequence: { groupOrder: 1 },
        },
      },
      // The engine, the nodes and the objects under a clock that stands still between I/O. In the proof only, because
      // most of its time is the start of a workerd; `test/unit/engine/frozen-clock.test.ts` runs in `npm test`.
      ...(IS_PROOF
        ? [
            {
              plugins: [await workerd("frozen-clock")],
              test: {
                name: "frozen-clock",
                testTimeout: TEST_TIMEOUT_MS,
                hookTimeout: TEST_TIMEOUT_MS,
                include: allFilesIn("worker").filter((file) => FROZEN_TOO.test(file)),
                setupFiles: ["test/support/worker-setup.ts", "test/support/freeze-clock.ts"],
                ...SHARED_WORKERD,
                maxWorkers: 1,
                sequence: { groupOrder: 2 },
              },
            },
          ]
        : []),
      {
        plugins: [WITHOUT_SOURCE_TEXTS],
        test: {
          name: "e2e",
          include: filesIn("e2e"),
          ...ON_SERVICES,
          // These tests wait about half of their time.
          maxWorkers: 4,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
