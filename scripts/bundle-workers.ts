import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin } from "esbuild";
import { bundleWorker, type WorkerModule } from "./bundle-worker.ts";
import { readWorkerConfig, type WorkerConfig, WRANGLER_FILES } from "./read-worker-config.ts";
import { withoutDocumentation } from "./without-documentation.ts";
import { withoutJsonSchemas } from "./without-json-schemas.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** One bundled Worker: `{ ...config.options, modules }` are Miniflare's options for it. */
export interface BundledWorker {
  readonly config: WorkerConfig;
  readonly modules: WorkerModule[];
}

/**
 * Bundles every Worker, in the order of `WRANGLER_FILES`, each with the settings of its wrangler file. `vars`
 * override variables of all (`ENVIRONMENT`, `BOOT_ID`, secrets).
 */
export function bundleWorkers(
  vars: Readonly<Record<string, string>>,
  plugins: readonly Plugin[] = [],
): Promise<BundledWorker[]> {
  return Promise.all(
    WRANGLER_FILES.map(async (file) => {
      const config = await readWorkerConfig(file, vars);
      return {
        config,
        modules: await bundleWorker(join(ROOT, config.entry), [
          ...plugins,
          withoutDocumentation,
          withoutJsonSchemas,
        ]),
      };
    }),
  );
}
