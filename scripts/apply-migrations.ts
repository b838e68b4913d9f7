/** Applies the D1 migrations that a database has not seen, in the table that wrangler keeps too. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Miniflare } from "miniflare";

/** As wrangler makes it. */
const TABLE =
  "CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)";

type Database = Awaited<ReturnType<Miniflare["getD1Database"]>>;

/** Names of the migrations in a folder, in the order in which they apply. */
export async function listMigrations(directory: string): Promise<readonly string[]> {
  const names = await readdir(directory);
  return names.filter((name) => name.endsWith(".sql")).sort();
}

/**
 * Each pending file is one transaction together with its row in `d1_migrations`; running it again
 * changes nothing. A file goes as one text of several statements, so that SQLite itself says where
 * one ends, and the row's statement closes it: behind it there is no comment that SQLite would miss
 * a statement after. Calls are few, because Miniflare makes each `prepare` a round trip that it
 * waits for. Throws with the file's name.
 */
export async function applyMigrations(database: Database, directory: string): Promise<void> {
  const { results } = await database
    .prepare(`${TABLE};\nSELECT name FROM d1_migrations`)
    .all<{ name: string }>();
  const applied = new Set(results.map((row) => row.name));
  const pending = (await listMigrations(directory)).filter((name) => !applied.has(name));
  for (const name of pending) {
    const sql = await readFile(join(directory, name), "utf8");
    const note = `INSERT INTO d1_migrations (name) VALUES ('${name.replaceAll("'", "''")}')`;
    try {
      await database.prepare(`${sql}\n${note}`).run();
    } catch (error) {
      throw new Error(
        `The migration ${name} does not apply: ${error instanceof Error ? error.message : String(error)}. Each of its statements, the last one too, ends with a semicolon.`,
        { cause: error },
      );
    }
  }
}
