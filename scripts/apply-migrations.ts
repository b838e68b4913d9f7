/** Applies the D1 migrations that a database has not seen, in the table that wrangler keeps too. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Miniflare } from "miniflare";

type Database = Awaited<ReturnType<Miniflare["getD1Database"]>>;

/** Names of the migrations in a folder, in the order in which they apply. */
export async function listMigrations(directory: string): Promise<readonly string[]> {
  const names = await readdir(directory);
  return names.filter((name) => name.endsWith(".sql")).sort();
}

/** Each pending file is one transaction together with its row in `d1_migrations`; running it again changes nothing. */
export async function applyMigrations(database: Database, directory: string): Promise<void> {
  await database
    .prepare(
      "CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)",
    )
    .run();
  const { results } = await database
    .prepare("SELECT name FROM d1_migrations")
    .all<{ name: string }>();
  const applied = new Set(results.map((row) => row.name));
  const pending = (await listMigrations(directory)).filter((name) => !applied.has(name));
  if (pending.length === 0) {
    return;
  }
  // Its splitter knows triggers, quotes and comments; it is slow to load and needed once a migration.
  const { unstable_splitSqlQuery: splitSql } = await import("wrangler");
  for (const name of pending) {
    const statements = splitSql(await readFile(join(directory, name), "utf8"));
    await database.batch([
      ...statements.map((statement) => database.prepare(statement)),
      database.prepare("INSERT INTO d1_migrations (name) VALUES (?)").bind(name),
    ]);
  }
}
