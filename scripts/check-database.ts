/** Checks, before the service starts, that the D1 databases of a data folder exist and are intact. */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

/** Path below the folder, as Miniflare creates it. */
const DATABASES = "d1/miniflare-D1DatabaseObject";
const RUNS = "objects/edgeloom-RunObject";
/** Files up to this size are checked page by page, in about 50 ms; of larger ones only the schema is checked. */
const CHECKED_WHOLE_BYTES = 32 * 1024 * 1024;

/**
 * Resolves to whether the folder has a database. Throws an error with the file's name and a remedy if the database is
 * damaged, if it is missing although the folder contains runs, or if the folder has fewer than its `shards` databases.
 */
export async function checkDatabase(directory: string, shards = 1): Promise<boolean> {
  const files = await databasesIn(join(directory, DATABASES));
  if (files.length === 0 && (await databasesIn(join(directory, RUNS))).length > 0) {
    throw new Error(
      `${join(directory, DATABASES)} has no database, and ${join(directory, "objects")} contains runs that need it. ` +
        "Restore d1/ from a backup of the whole folder, or start with another folder: --persist DIR.",
    );
  }
  if (files.length > 0 && files.length < shards) {
    throw new Error(
      `${join(directory, DATABASES)} has ${files.length} of the folder's ${shards} databases. ` +
        "Restore d1/ from a backup of the whole folder, or start with another folder: --persist DIR.",
    );
  }
  for (const file of files) {
    const damage = await damageOf(file);
    if (damage !== undefined) {
      throw new Error(
        `${file} is damaged (${damage}). Restore the folder from a complete backup, or start with another folder: --persist DIR.`,
      );
    }
  }
  return files.length > 0;
}

/** Excludes the index of objects, which Miniflare stores beside them. */
async function databasesIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  return names
    .filter((name) => name.endsWith(".sqlite") && name !== "metadata.sqlite")
    .map((name) => join(folder, name));
}

async function damageOf(file: string): Promise<string | undefined> {
  const { DatabaseSync } = await loadSqlite();
  const { size } = await stat(file);
  const check = size <= CHECKED_WHOLE_BYTES ? "PRAGMA quick_check(1)" : "PRAGMA schema_version";
  try {
    const database = new DatabaseSync(file);
    try {
      // SQLite treats an empty file as a database without tables, but this service never creates one.
      const tables = database.prepare("SELECT count(*) AS n FROM sqlite_schema").get();
      if (tables?.["n"] === 0) {
        return "it contains no table";
      }
      const found = Object.values(database.prepare(check).get() ?? {})[0];
      return typeof found === "string" && found !== "ok"
        ? found.replaceAll(/\s+/g, " ")
        : undefined;
    } finally {
      database.close();
    }
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Suppresses Node's warning about an experimental feature. */
async function loadSqlite(): Promise<typeof import("node:sqlite")> {
  const warn = process.emitWarning.bind(process);
  process.emitWarning = () => undefined;
  try {
    return await import("node:sqlite");
  } finally {
    process.emitWarning = warn;
  }
}
