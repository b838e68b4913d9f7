import { fileURLToPath } from "node:url";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";
import { buildAssets } from "./scripts/build-assets.ts";
import { bundleWorker } from "./scripts/bundle-worker.ts";

await buildAssets();

// V8's sweeper of C++ objects was seen to wait for ever for its helper threads, on the thread that
// everything else needs (docs/decisions/workerd-in-tests.md): in the workerd of these tests it has none.
process.env["MINIFLARE_WORKERD_V8_FLAGS"] ??= "--single-threaded-gc";

/** The runner's entry point that judges fonts; the rest of the runner has tests of its own. */
const fontChecker = {
  name: "edgeloom-runner",
  modules: await bundleWorker(
    fileURLToPath(new URL("test/support/fonts/font-checker-worker.ts", import.meta.url)),
  ),
  compatibilityDate: "2026-07-01",
  compatibilityFlags: ["nodejs_compat"],
  r2Buckets: { FILES: "edgeloom-files" },
};

/**
 * One workerd serves one file after another, and `worker-setup.ts` empties it in between
 * (docs/testing.md says what a file must respect). A project has a place in the order of its own:
 * vitest keeps a workerd only as long as the next file in line is of the same project.
 */
const SHARED_WORKERD = { isolate: false } as const;

/** The whole Worker in workerd, with real bindings. */
async function workerd() {
  return cloudflareTest({
    wrangler: { configPath: "./wrangler.toml" },
    miniflare: {
      cf: false,
      workers: [fontChecker],
      bindings: {
        ENVIRONMENT: "local",
        JWT_SECRET: "a secret of the tests, at least 32 bytes long",
        ADMIN_TOKEN: "the-operator-token-of-the-tests",
        // The proof asks for more.
        FUZZ_EXECUTIONS: process.env["PROOF"] === undefined ? 3000 : 30_000,
        TEST_MIGRATIONS: await readD1Migrations("./src/storage/migrations"),
      },
    },
  });
}

export default defineConfig({
  test: {
    // The Worker logs a line a request; shown where a test fails.
    silent: "passed-only",
    projects: [
      {
        test: {
          name: "unit",
          include: ["test/{unit,simulation,conformance}/**/*.test.ts"],
          environment: "node",
          testTimeout: 30_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        plugins: [await workerd()],
        test: {
          name: "worker",
          testTimeout: 30_000,
          hookTimeout: 30_000,
          include: ["test/worker/**/*.test.ts"],
          exclude: ["test/worker/frozen-clock/**"],
          ...SHARED_WORKERD,
          maxWorkers: 2,
          setupFiles: ["test/support/worker-setup.ts"],
          sequence: { groupOrder: 1 },
        },
      },
      {
        // The engine, the nodes and the objects under a clock that stands still between I/O.
        plugins: [await workerd()],
        test: {
          name: "frozen-clock",
          testTimeout: 30_000,
          hookTimeout: 30_000,
          include: [
            "test/worker/frozen-clock/**/*.test.ts",
            "test/worker/executions/{executions,trace}.test.ts",
            "test/worker/run/run-object.test.ts",
          ],
          setupFiles: ["test/support/worker-setup.ts", "test/support/freeze-clock.ts"],
          ...SHARED_WORKERD,
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          setupFiles: ["test/support/node/send-again.ts", "test/support/e2e-setup.ts"],
          environment: "node",
          testTimeout: 180_000,
          hookTimeout: 60_000,
          // Each file starts a service of its own; on two cores they would only wait for each other.
          fileParallelism: false,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
