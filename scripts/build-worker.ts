/**
 * Bundles the API Worker for wrangler, which minifies the bundle and deploys it (`main` in wrangler.toml). wrangler runs this
 * script before a build, after `scripts/build-assets.ts`; the local service and the tests call `bundleWorkers`.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleWorker } from "./bundle-worker.ts";
import { API_ENTRY, BUILT_API_ENTRY } from "./read-worker-config.ts";
import { withoutDocumentation } from "./without-documentation.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

const target = join(ROOT, BUILT_API_ENTRY);
const [worker, ...others] = await bundleWorker(join(ROOT, API_ENTRY), [withoutDocumentation], {
  sourceMapFor: target,
});
if (worker === undefined || others.length > 0) {
  throw new Error(`The API Worker is one module, without wasm. Found: ${others.length} more.`);
}
await mkdir(dirname(target), { recursive: true });
await writeFile(target, worker.contents);
