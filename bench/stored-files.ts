/** What is on the disk of a local service or peer, read past it. */
import { copyFile, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";

export interface StoredFile {
  readonly path: string;
  readonly bytes: number;
  readonly changedMs: number;
}

/** Every file below a folder; none where there is no folder yet. */
export async function storedFiles(directory: string): Promise<StoredFile[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") {
        return [];
      }
      throw error;
    },
  );
  const files = entries
    .filter((entry) => entry.isFile())
    .map(async (entry) => {
      const path = join(entry.parentPath, entry.name);
      // One may be gone by now.
      const found = await stat(path).catch(() => undefined);
      return found && { path, bytes: found.size, changedMs: found.mtimeMs };
    });
  return (await Promise.all(files)).filter((file) => file !== undefined);
}

/** Files of R2 objects: a local bucket keeps each in a file of its own that never changes. */
export async function storedBlobs(directory: string): Promise<StoredFile[]> {
  return (await storedFiles(directory)).filter(({ path }) => path.includes("/blobs/"));
}

/** Databases of objects of a class, by path. */
export async function objectDatabases(directory: string): Promise<Set<string>> {
  const files = await storedFiles(directory);
  return new Set(
    files.map(({ path }) => path).filter((path) => /\/[0-9a-f]{64}\.sqlite$/.test(path)),
  );
}

/** Bytes of the pages in use of a database that nobody writes to at the moment, its log included. */
export async function databaseBytes(path: string): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "edgeloom-bytes-"));
  try {
    const copy = join(folder, basename(path));
    await copyFile(path, copy);
    await copyFile(`${path}-wal`, `${copy}-wal`).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") {
        throw error;
      }
    });
    const database = new DatabaseSync(copy);
    const pragma = (name: string) =>
      Number(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0]);
    const bytes = (pragma("page_count") - pragma("freelist_count")) * pragma("page_size");
    database.close();
    return bytes;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
