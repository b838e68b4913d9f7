/** The files on disk of a local service or peer, read directly. */
import { copyFile, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";

export interface StoredFile {
  readonly path: string;
  readonly bytes: number;
  readonly changedMs: number;
}

/** Every file below a folder; none if the folder does not exist yet. */
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
      // A file may have been deleted meanwhile.
      const found = await stat(path).catch(() => undefined);
      return found && { path, bytes: found.size, changedMs: found.mtimeMs };
    });
  return (await Promise.all(files)).filter((file) => file !== undefined);
}

/** Files of R2 objects: a local bucket keeps each in its own file, which never changes. */
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

/** Bytes of the used pages of a database, including its log, while nothing writes to it. */
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
