/** Whether the D1 database of a data folder is there and whole, before anything is started on it. */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

/** Below the folder, as Miniflare lays it out. */
const DATABASES = "d1/miniflare-D1DatabaseObject";
const RUNS = "objects/edgeloom-RunObject";
/** Every page of a file up to this size is looked at, in some 50 ms; of a larger one the schema alone. */
const CHECKED_WHOLE_BYTES = 32 * 1024 * 1024;

/**
 * Resolves to whether the folder has a database. Throws, with the file's name and what to do, for
 * one that is damaged, and where there is none although the folder holds runs.
 */
export async function checkDatabase(directory: string): Promise<boolean> {
  const files = await databasesIn(join(directory, DATABASES));
  if (files.length === 0 && (await databasesIn(join(directory, RUNS))).length > 0) {
    throw new Error(
      `${join(directory, DATABASES)} has no database, and ${join(directory, "objects")} holds runs that belong to one. ` +
        "Put d1/ back from a backup of the whole folder, or begin anew in another folder with --persist.",
    );
  }
  for (const file of files) {
    const damage = await damageOf(file);
    if (damage !== undefined) {
      throw new Error(
        `${file} is damaged (${damage}). Put the folder back from a backup of the whole of it, or begin anew in another folder with --persist.`,
      );
    }
  }
  return files.length > 0;
}

/** Without the index of objects, which Miniflare keeps beside them. */
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
      // An empty file is a database without tables to SQLite, and none that this service has made.
      const tables = database.prepare("SELECT count(*) AS n FROM sqlite_schema").get();
      if (tables?.["n"] === 0) {
        return "it holds no table";
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

/** Without the warning that Node prints of what it calls experimental. */
async function loadSqlite(): Promise<typeof import("node:sqlite")> {
  const warn = process.emitWarning.bind(process);
  process.emitWarning = () => undefined;
  try {
    return await import("node:sqlite");
  } finally {
    process.emitWarning = warn;
  }
}
