import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";

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
        plugins: [
          cloudflareTest({
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: {
              cf: false,
              bindings: {
                ENVIRONMENT: "local",
                JWT_SECRET: "a secret of the tests, at least 32 bytes long",
                ADMIN_TOKEN: "the-operator-token-of-the-tests",
                TEST_MIGRATIONS: await readD1Migrations("./src/storage/migrations"),
              },
            },
          }),
        ],
        test: {
          name: "worker",
          testTimeout: 30_000,
          hookTimeout: 30_000,
          include: ["test/worker/**/*.test.ts"],
          setupFiles: ["test/support/worker-setup.ts"],
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          environment: "node",
          testTimeout: 180_000,
          hookTimeout: 60_000,
          // Each file starts a service of its own; on two cores they would only wait for each other.
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
