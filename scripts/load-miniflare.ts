/**
 * Loads Miniflare without the two slow parts of its start (docs/decisions/booting.md): `import` would first scan its
 * 4.5 MB for export names, and its encoder copies the whole configuration, including the 12 MB of the Workers, each
 * time it grows by 4 kB.
 */
import { readFileSync } from "node:fs";
import { createRequire, registerHooks } from "node:module";
import { pathToFileURL } from "node:url";
import { growByDoubling } from "./grow-by-doubling.ts";

/** The `miniflare` package. A version whose encoder has a different form is used unchanged. */
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
