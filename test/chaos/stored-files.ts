/** The data of a stopped service on disk: its SQLite files. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";

export interface StoredDatabase {
  readonly path: string;
  hasTable(name: string): boolean;
  /** Rows as plain objects, so that they compare. */
  all<T>(query: string): T[];
  close(): void;
}

/** Every database below a folder, opened for reading. The caller closes them. */
export async function databasesIn(directory: string): Promise<StoredDatabase[]> {
  const { DatabaseSync } = await import("node:sqlite");
  const files = (await readdir(directory, { recursive: true, withFileTypes: true })).filter(
    ({ name }) => name.endsWith(".sqlite") && name !== "metadata.sqlite",
  );
  return files.map((file) => {
    const path = join(file.parentPath, file.name);
    const database = new DatabaseSync(path, { readOnly: true });
    const all = <T>(query: string): T[] =>
      database
        .prepare(query)
        .all()
        .map((row) => ({ ...row }) as T);
    return {
      path,
      all,
      hasTable: (name) =>
        all<{ name: string }>("SELECT name FROM sqlite_master").some((row) => row.name === name),
      close: () => {
        database.close();
      },
    };
  });
}

/** Keys of the objects in a store's folder. */
export async function keysIn(directory: string): Promise<string[]> {
  return await keysOf(directory, "SELECT key FROM _mf_objects");
}

/** Keys of uploads of which parts are stored and no object: a key for each part. */
export async function unfinishedIn(directory: string): Promise<string[]> {
  return await keysOf(
    directory,
    "SELECT key FROM _mf_multipart_parts JOIN _mf_multipart_uploads USING (upload_id) WHERE object_key IS NULL",
  );
}

async function keysOf(directory: string, query: string): Promise<string[]> {
  const databases = await databasesIn(directory);
  return databases.flatMap((database) => {
    try {
      return database.all<{ key: string }>(query).map(({ key }) => key);
    } finally {
      database.close();
    }
  });
}
