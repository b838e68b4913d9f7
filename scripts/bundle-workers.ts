import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin } from "esbuild";
import { bundleWorker, type WorkerModule } from "./bundle-worker.ts";
import { readWorkerConfig, type WorkerConfig } from "./read-worker-config.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const WRANGLER_FILES = ["wrangler.toml", "queues/wrangler.toml"] as const;

/** One bundled Worker: `{ ...config.options, modules }` are Miniflare's options for it. */
export interface BundledWorker {
  readonly config: WorkerConfig;
  readonly modules: WorkerModule[];
}

/**
 * Bundles both Workers, the API Worker first and then the runner, each with the settings of its wrangler file. `vars`
 * override variables of both (`ENVIRONMENT`, `BOOT_ID`, secrets).
 */
export function bundleWorkers(
  vars: Readonly<Record<string, string>>,
  plugins: readonly Plugin[] = [],
): Promise<BundledWorker[]> {
  return Promise.all(
    WRANGLER_FILES.map(async (file) => {
      const config = await readWorkerConfig(file, vars);
      return { config, modules: await bundleWorker(join(ROOT, config.entry), plugins) };
    }),
  );
}
