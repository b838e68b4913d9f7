/** The bundled Workers, from a cache keyed by the content of all their sources. */
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import type { WorkerModule } from "./bundle-worker.ts";
import type { BundledWorker } from "./bundle-workers.ts";
import { BUILD_CACHE, hashSources } from "./hash-sources.ts";
import { readJsonFile } from "./local-secrets.ts";
import { bringUpWeb, WEB_SOURCES } from "./web-files.ts";
import { readWorkerConfig, WRANGLER_FILES } from "./read-worker-config.ts";

/** The key includes the bundlers, their settings and the versions of bundled packages. */
const SOURCES = {
  folders: ["src", "durable-objects", "queues"],
  files: [
    "package-lock.json",
    ...WRANGLER_FILES,
    "scripts/bundle-worker.ts",
    "scripts/bundle-workers.ts",
    "scripts/load-workers.ts",
    "scripts/without-documentation.ts",
    // They make the list of browser files, which the API Worker contains.
    ...WEB_SOURCES.files,
  ],
  note: "sources.json",
};
const STALE_MS = 24 * 60 * 60 * 1000;

interface StoredModules {
  readonly entry: string;
  readonly modules: readonly { type: WorkerModule["type"]; path: string; crc32: number }[];
}

/**
 * Returns every Worker, in the order of `WRANGLER_FILES`, from the cache or newly bundled. Reading the cache takes a few tens of
 * milliseconds, bundling most of a second. Missing or damaged entries are made again. `vars` override those of the
 * wrangler files. Throws on a build error.
 */
export async function loadWorkers(
  vars: Readonly<Record<string, string>>,
): Promise<readonly BundledWorker[]> {
  const directory = join(BUILD_CACHE, await hashSources(SOURCES));
  const [stored, configs] = await Promise.all([
    readStored(directory),
    Promise.all(WRANGLER_FILES.map((file) => readWorkerConfig(file, vars))),
  ]);
  const workers = configs.flatMap((config) => {
    const modules = stored?.get(config.entry);
    return modules === undefined ? [] : [{ config, modules }];
  });
  if (workers.length === configs.length) {
    return workers;
  }
  // The API Worker contains the list of browser files.
  await bringUpWeb();
  const { bundleWorkers } = await import("./bundle-workers.ts");
  const made = await bundleWorkers(vars);
  await store(directory, made);
  return made;
}

/** Safe with concurrent starts. If the cache is not writable, the next start bundles again. */
async function store(directory: string, workers: readonly BundledWorker[]): Promise<void> {
  const staging = `${directory}.${process.pid}.tmp`;
  try {
    await mkdir(staging, { recursive: true });
    const stored: StoredModules[] = [];
    for (const [index, { config, modules }] of workers.entries()) {
      stored.push({
        entry: config.entry,
        modules: modules.map(({ type, path, contents }) => ({
          type,
          path,
          crc32: crc32(contents),
        })),
      });
      for (const module of modules) {
        await writeFile(join(staging, `${index}-${module.path}`), module.contents);
      }
    }
    await writeFile(join(staging, "modules.json"), JSON.stringify(stored));
    // The existing entry is damaged, or another start has just written the same one.
    await rm(directory, { recursive: true, force: true });
    await rename(staging, directory);
    await removeStale(directory);
  } catch {
    await rm(staging, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** Returns undefined if any part is missing or differs from what was stored. */
async function readStored(
  directory: string,
): Promise<ReadonlyMap<string, WorkerModule[]> | undefined> {
  try {
    const stored = await readJsonFile<readonly StoredModules[]>(join(directory, "modules.json"));
    const workers = (stored ?? []).map(async ({ entry, modules }, index) => {
      const read = modules.map(async ({ type, path, crc32: sum }): Promise<WorkerModule> => {
        const bytes = await readFile(join(directory, `${index}-${path}`));
        if (crc32(bytes) !== sum) {
          throw new Error(`${path} differs from what was stored.`);
        }
        return type === "ESModule"
          ? { type, path, contents: bytes.toString("utf8") }
          : { type, path, contents: new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length) };
      });
      return [entry, await Promise.all(read)] as const;
    });
    return new Map(await Promise.all(workers));
  } catch {
    return undefined;
  }
}

async function removeStale(current: string): Promise<void> {
  for (const name of await readdir(BUILD_CACHE)) {
    const path = join(BUILD_CACHE, name);
    if (path !== current && Date.now() - (await stat(path)).mtimeMs > STALE_MS) {
      await rm(path, { recursive: true, force: true });
    }
  }
}
