/**
 * Miniflare without what makes its start slow (docs/decisions/booting.md): `import` would first look
 * through its 4.5 MB for the names it exports, and its encoder copies the whole configuration, the
 * Workers' 12 MB with it, at each 4 kB that it grows.
 */
import { readFileSync } from "node:fs";
import { createRequire, registerHooks } from "node:module";
import { pathToFileURL } from "node:url";
import { growByDoubling } from "./grow-by-doubling.ts";

/** The `miniflare` package. A version whose encoder reads differently is taken as it is. */
export function loadMiniflare(): typeof import("miniflare") {
  const require = createRequire(import.meta.url);
  const path = require.resolve("miniflare");
  const url = pathToFileURL(path).href;
  const hooks = registerHooks({
    load: (asked, context, nextLoad) =>
      asked === url
        ? {
            format: "commonjs",
            source: growByDoubling(readFileSync(path, "utf8")),
            shortCircuit: true,
          }
        : nextLoad(asked, context),
  });
  try {
    return require(path) as typeof import("miniflare");
  } finally {
    hooks.deregister();
  }
}
