/**
 * Bundles and minifies the API Worker for wrangler, which deploys it (`main` in wrangler.toml). wrangler runs this script
 * before a build, after `scripts/build-assets.ts`; the local service and the tests call `bundleWorkers`, which does not minify.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { minify } from "terser";
import { bundleWorker } from "./bundle-worker.ts";
import { API_ENTRY, BUILT_API_ENTRY } from "./read-worker-config.ts";
import { withoutDocumentation } from "./without-documentation.ts";
import { withoutJsonSchemas } from "./without-json-schemas.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

const target = join(ROOT, BUILT_API_ENTRY);
const [worker, ...others] = await bundleWorker(
  join(ROOT, API_ENTRY),
  [withoutDocumentation, withoutJsonSchemas],
  {
    sourceMapFor: target,
    minify: true,
  },
);
if (worker?.type !== "ESModule" || others.length > 0) {
  throw new Error(`The API Worker is one module, without wasm. Found: ${others.length} more.`);
}
// What esbuild has minified becomes 4 % smaller, compressed (docs/decisions/bundle-size.md).
const { code, map } = await minify(worker.contents, {
  module: true,
  ecma: 2020,
  compress: { passes: 2 },
  sourceMap: { content: "inline", url: `${basename(target)}.map` },
});
if (code === undefined || typeof map !== "string") {
  throw new Error("Terser returned no code, or no source map.");
}
await mkdir(dirname(target), { recursive: true });
await writeFile(target, code);
await writeFile(`${target}.map`, map);
