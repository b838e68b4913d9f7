/** The bundled Workers, from a cache keyed by the content of all their sources. */
import { createHash } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { crc32 } from "node:zlib";
import type { WorkerModule } from "./bundle-worker.ts";
import type { BundledWorker } from "./bundle-workers.ts";
import { readJsonFile, writePrivateJson } from "./local-secrets.ts";
import { readWorkerConfig, WRANGLER_FILES } from "./read-worker-config.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const CACHE = join(ROOT, "node_modules/.cache/edgeloom");
const SOURCES = ["src", "durable-objects", "queues"];
/** The key includes the bundler, its settings and the versions of bundled packages. */
const FILES = [
  "package-lock.json",
  ...WRANGLER_FILES,
  "scripts/bundle-worker.ts",
  "scripts/bundle-workers.ts",
  "scripts/load-workers.ts",
];
const NOTE = "sources.json";
const SETTLED_MS = 3000;
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
  const directory = join(CACHE, await hashSources());
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

/**
 * Hashes the sources. A note of their state avoids reading the 800 files again while none has changed, like git's
 * index. Nothing is noted if a file changed within the last seconds, because it may change again within the same tick
 * of the file system's clock.
 */
async function hashSources(): Promise<string> {
  const paths = listSources();
  const { stamp, changedAtMs } = stampOf(paths);
  const notePath = join(CACHE, NOTE);
  const note = await readNote(notePath);
  if (note?.stamp === stamp) {
    return note.hash;
  }
  const found = await hashContents(paths);
  if (Date.now() - changedAtMs > SETTLED_MS) {
    // The note is optional: without it the next start reads the files again.
    await mkdir(CACHE, { recursive: true }).catch(() => undefined);
    await writePrivateJson(notePath, { stamp, hash: found }).catch(() => undefined);
  }
  return found;
}

function listSources(): readonly string[] {
  const listed = SOURCES.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  return [...new Set([...FILES.map((file) => join(ROOT, file)), ...listed])].sort();
}

/**
 * A fingerprint that changes when a file changes, and the time of the last change. Synchronous calls take a fifth of
 * the time here.
 */
function stampOf(paths: readonly string[]): { stamp: string; changedAtMs: number } {
  let changedAtMs = 0;
  const lines = paths.map((path) => {
    const { size, mtimeMs, ctimeMs, ino } = statSync(path);
    changedAtMs = Math.max(changedAtMs, mtimeMs, ctimeMs);
    return `${path.slice(ROOT.length)}\0${size}\0${mtimeMs}\0${ctimeMs}\0${ino}`;
  });
  return { stamp: createHash("sha256").update(lines.join("\n")).digest("hex"), changedAtMs };
}

async function readNote(path: string): Promise<{ stamp: string; hash: string } | undefined> {
  try {
    const note = await readJsonFile<{ stamp?: unknown; hash?: unknown }>(path);
    return typeof note?.stamp === "string" && /^[0-9a-f]{32}$/.test(String(note.hash))
      ? { stamp: note.stamp, hash: String(note.hash) }
      : undefined;
  } catch {
    return undefined;
  }
}

async function hashContents(paths: readonly string[]): Promise<string> {
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
