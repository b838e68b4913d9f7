/** Applies pending D1 migrations and records them in the table that wrangler uses. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Miniflare } from "miniflare";

/** In wrangler's own form. */
const TABLE =
  "CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)";

type Database = Awaited<ReturnType<Miniflare["getD1Database"]>>;

/** Returns the names of the migrations in a folder, in order. */
export async function listMigrations(directory: string): Promise<readonly string[]> {
  const names = await readdir(directory);
  return names.filter((name) => name.endsWith(".sql")).sort();
}

/**
 * Applies each pending file in one transaction together with its row in `d1_migrations`; running it again changes
 * nothing. A file is sent as one text with several statements, so that SQLite finds their ends; the row's statement is
 * appended directly, so that no trailing comment hides it. The number of calls is kept small, because Miniflare makes
 * each `prepare` a blocking round trip. Throws an error with the file's name.
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
        `The migration ${name} does not apply: ${error instanceof Error ? error.message : String(error)}. Every statement, including the last one, must end with a semicolon.`,
        { cause: error },
      );
    }
  }
}
