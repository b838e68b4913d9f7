#!/usr/bin/env node
// Starts the command line (scripts/cli) on any Node from 20: TypeScript is bundled once, into node_modules/.cache.
import { existsSync, mkdirSync, readdirSync, renameSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const SOURCES = fileURLToPath(new URL("cli", import.meta.url));
const BUNDLE = fileURLToPath(
  new URL("../node_modules/.cache/edgeloom-cli/cli.mjs", import.meta.url),
);

async function bundle() {
  const { build } = await import("esbuild");
  mkdirSync(dirname(BUNDLE), { recursive: true });
  // Safe with concurrent calls: a bundle appears complete or not at all.
  const staging = `${BUNDLE}.${process.pid}.tmp`;
  await build({
    entryPoints: [join(SOURCES, "main.ts")],
    outfile: staging,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "error",
  });
  renameSync(staging, BUNDLE);
}

const sources = [...readdirSync(SOURCES).map((name) => join("cli", name)), "progress-bar.ts"];
const newestMs = Math.max(...sources.map((name) => statSync(join(dirname(SOURCES), name)).mtimeMs));
if (!existsSync(BUNDLE) || statSync(BUNDLE).mtimeMs < newestMs) {
  await bundle();
}
const { main } = await import(pathToFileURL(BUNDLE).href);
await main(process.argv.slice(2));
