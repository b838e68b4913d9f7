/** The bundled Workers, from a cache keyed by the content of everything that goes into them. */
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { WorkerModule } from "./bundle-worker.ts";
import type { BundledWorker } from "./bundle-workers.ts";
import { readJsonFile } from "./local-secrets.ts";
import { readWorkerConfig } from "./read-worker-config.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const CACHE = join(ROOT, "node_modules/.cache/edgeloom");
const WRANGLER_FILES = ["wrangler.toml", "queues/wrangler.toml"] as const;
const SOURCES = ["src", "durable-objects", "queues"];
/** The bundler, its settings and the versions of what is bundled are part of the key too. */
const FILES = [
  "package-lock.json",
  ...WRANGLER_FILES,
  "scripts/bundle-worker.ts",
  "scripts/bundle-workers.ts",
  "scripts/load-workers.ts",
];
const STALE_MS = 24 * 60 * 60 * 1000;

interface StoredModules {
  readonly entry: string;
  readonly modules: readonly { type: WorkerModule["type"]; path: string }[];
}

/**
 * Both Workers, API first, bundled now or read back. A cached bundle is found in a few tens of
 * milliseconds; bundling takes most of a second. `vars` override the wrangler files' own.
 * Throws on a build error.
 */
export async function loadWorkers(
  vars: Readonly<Record<string, string>>,
): Promise<readonly BundledWorker[]> {
  const directory = join(CACHE, await hashSources());
  const stored = await readStored(directory);
  if (stored === undefined) {
    const { bundleWorkers } = await import("./bundle-workers.ts");
    const workers = await bundleWorkers(vars);
    await store(directory, workers);
    return workers;
  }
  return Promise.all(
    WRANGLER_FILES.map(async (file) => {
      const config = await readWorkerConfig(file, vars);
      const modules = stored.get(config.entry);
      if (modules === undefined) {
        throw new Error(`${directory} has no bundle of ${config.entry}; remove the folder.`);
      }
      return { config, modules };
    }),
  );
}

async function store(directory: string, workers: readonly BundledWorker[]): Promise<void> {
  const staging = `${directory}.${process.pid}.tmp`;
  await mkdir(staging, { recursive: true });
  const stored: StoredModules[] = [];
  for (const [index, { config, modules }] of workers.entries()) {
    stored.push({
      entry: config.entry,
      modules: modules.map(({ type, path }) => ({ type, path })),
    });
    for (const module of modules) {
      await writeFile(join(staging, `${index}-${module.path}`), module.contents);
    }
  }
  await writeFile(join(staging, "modules.json"), JSON.stringify(stored));
  try {
    await rename(staging, directory);
  } catch {
    // Another boot stored the same content first.
    await rm(staging, { recursive: true, force: true });
  }
  await removeStale(directory);
}

async function readStored(
  directory: string,
): Promise<ReadonlyMap<string, WorkerModule[]> | undefined> {
  const stored = await readJsonFile<readonly StoredModules[]>(join(directory, "modules.json"));
  if (stored === undefined) {
    return undefined;
  }
  const workers = await Promise.all(
    stored.map(async ({ entry, modules }, index) => {
      const read = modules.map(async ({ type, path }): Promise<WorkerModule> => {
        const bytes = await readFile(join(directory, `${index}-${path}`));
        return type === "ESModule"
          ? { type, path, contents: bytes.toString("utf8") }
          : { type, path, contents: new Uint8Array(bytes) };
      });
      return [entry, await Promise.all(read)] as const;
    }),
  );
  return new Map(workers);
}

async function hashSources(): Promise<string> {
  const listed = await Promise.all(
    SOURCES.map(async (folder) => {
      const entries = await readdir(join(ROOT, folder), { recursive: true, withFileTypes: true });
      return entries
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name));
    }),
  );
  const paths = [...FILES.map((file) => join(ROOT, file)), ...listed.flat()].sort();
  const contents = await Promise.all(paths.map((path) => readFile(path)));
  const hash = createHash("sha256");
  for (const [i, bytes] of contents.entries()) {
    hash.update(`${paths[i]?.slice(ROOT.length)}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest("hex").slice(0, 32);
}

async function removeStale(current: string): Promise<void> {
  for (const name of await readdir(CACHE)) {
    const path = join(CACHE, name);
    if (path !== current && Date.now() - (await stat(path)).mtimeMs > STALE_MS) {
      await rm(path, { recursive: true, force: true });
    }
  }
}
