import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { builtinModules } from "node:module";
import { basename } from "node:path";
import { build, type Plugin } from "esbuild";

/** One module of a Worker, in Miniflare's format. */
export type WorkerModule =
  | { readonly type: "ESModule"; readonly path: string; readonly contents: string }
  | {
      readonly type: "CompiledWasm" | "Data";
      readonly path: string;
      readonly contents: Uint8Array<ArrayBuffer>;
    };

const MODULE_TYPES: ReadonlyMap<string, "CompiledWasm" | "Data"> = new Map([
  [".wasm", "CompiledWasm"],
  [".bin", "Data"],
]);

/**
 * Keeps wasm and binary imports outside the bundle: workerd compiles them, because a Worker must not compile bytes
 * itself.
 */
function separateModules(found: Map<string, WorkerModule>): Plugin {
  return {
    name: "separate-modules",
    setup(builder) {
      builder.onResolve({ filter: /\.(wasm|bin)(\?module)?$/ }, async (args) => {
        if (args.pluginData === "resolving") {
          return undefined;
        }
        const resolved = await builder.resolve(args.path.replace(/\?module$/, ""), {
          kind: args.kind,
          importer: args.importer,
          resolveDir: args.resolveDir,
          pluginData: "resolving",
        });
        if (resolved.errors.length > 0) {
          return { errors: resolved.errors };
        }
        const bytes = await readFile(resolved.path);
        const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
        const path = `${hash}-${basename(resolved.path)}`;
        const type =
          MODULE_TYPES.get(resolved.path.slice(resolved.path.lastIndexOf("."))) ?? "Data";
        found.set(path, { type, path, contents: new Uint8Array(bytes) });
        return { path: `./${path}`, external: true };
      });
    },
  };
}

/** Under `nodejs_compat` the platform provides Node's modules, and only under their `node:` names. */
const nodeModulesByPlatform: Plugin = {
  name: "node-modules-by-platform",
  setup(builder) {
    const bare = new Set(builtinModules);
    builder.onResolve({ filter: /^[a-z_/]+$/ }, (args) =>
      bare.has(args.path) && args.kind !== "entry-point"
        ? { path: `node:${args.path}`, external: true }
        : undefined,
    );
  },
};

/**
 * Bundles one Worker as `wrangler deploy` does: one ES module, inlined text imports, a module for each wasm file. The
 * first module is the entry. `plugins` can change file contents. With `sourceMapFor`, the entry ends with a source map
 * for a module at that path. With `minify`, functions lose their names. Throws on any build error.
 */
export async function bundleWorker(
  entry: string,
  plugins: readonly Plugin[] = [],
  {
    sourceMapFor,
    minify = false,
  }: { readonly sourceMapFor?: string; readonly minify?: boolean } = {},
): Promise<WorkerModule[]> {
  const found = new Map<string, WorkerModule>();
  const result = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    external: ["node:*", "cloudflare:*"],
    define: { "process.env.NODE_ENV": '"production"' },
    loader: { ".sql": "text", ".txt": "text", ".html": "text" },
    legalComments: "none",
    minify,
    logLevel: "silent",
    ...(sourceMapFor !== undefined && { sourcemap: "inline", outfile: sourceMapFor }),
    plugins: [...plugins, separateModules(found), nodeModulesByPlatform],
  });
  const code = result.outputFiles[0];
  if (code === undefined) {
    throw new Error(`esbuild produced no output for ${entry}.`);
  }
  return [{ type: "ESModule", path: "worker.mjs", contents: code.text }, ...found.values()];
}
