/** A hash of source files, by which caches of builds are named. */
import { createHash } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readJsonFile, writePrivateJson } from "./local-secrets.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** Of builds; `npm ci` empties it. */
export const BUILD_CACHE = join(ROOT, "node_modules/.cache/edgeloom");
const SETTLED_MS = 3000;

export interface HashedSources {
  /** Folders below the project, with all that they contain. */
  readonly folders: readonly string[];
  readonly files: readonly string[];
  /** Name of the note in the cache. */
  readonly note: string;
}

/**
 * Hashes the sources: 32 hexadecimal digits. A note of their state avoids reading the 800 files again while none has
 * changed, like git's index. Nothing is noted if a file changed within the last seconds, because it may change again
 * within the same tick of the file system's clock.
 */
export async function hashSources(sources: HashedSources): Promise<string> {
  const paths = listSources(sources);
  const { stamp, changedAtMs } = stampOf(paths);
  const notePath = join(BUILD_CACHE, sources.note);
  const note = await readNote(notePath);
  if (note?.stamp === stamp) {
    return note.hash;
  }
  const found = await hashContents(paths);
  if (Date.now() - changedAtMs > SETTLED_MS) {
    // The note is optional: without it the next start reads the files again.
    await mkdir(BUILD_CACHE, { recursive: true }).catch(() => undefined);
    await writePrivateJson(notePath, { stamp, hash: found }).catch(() => undefined);
  }
  return found;
}

function listSources({ folders, files }: HashedSources): readonly string[] {
  const listed = folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  return [...new Set([...files.map((file) => join(ROOT, file)), ...listed])].sort();
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
