import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Miniflare } from "miniflare";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { unstable_splitSqlQuery as splitSql } from "wrangler";
import { applyMigrations, listMigrations } from "../../../scripts/apply-migrations.ts";
import { loadMiniflare } from "../../../scripts/load-miniflare.ts";

const MIGRATIONS = "src/storage/migrations";

describe("the migrations of a local boot", () => {
  let miniflare: Miniflare;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "edgeloom-migrations-"));
    miniflare = new (loadMiniflare().Miniflare)({
      cf: false,
      modules: true,
      script: "export default {}",
      d1Databases: ["WHOLE", "SPLIT", "BROKEN"],
    });
  });

  afterAll(async () => {
    await miniflare.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  it("create the database that their statements create one by one", async () => {
    const [whole, split] = await Promise.all([database("WHOLE"), database("SPLIT")]);
    await applyMigrations(whole, MIGRATIONS);
    for (const name of await listMigrations(MIGRATIONS)) {
      const sql = await readFile(join(MIGRATIONS, name), "utf8");
      await split.batch(splitSql(sql).map((statement) => split.prepare(statement)));
    }
    const made = (await schemaOf(whole)).filter(({ name }) => name !== "d1_migrations");
    expect(made.length).toBeGreaterThan(20);
    expect(made).toEqual(await schemaOf(split));
    expect(await appliedIn(whole)).toEqual(await listMigrations(MIGRATIONS));
  });

  it("have no effect when applied again, and apply only new files", async () => {
    const whole = await database("WHOLE");
    await cp(MIGRATIONS, folder, { recursive: true });
    await writeFile(
      join(folder, "9999_it's_new.sql"),
      "CREATE TABLE added (a);\n-- The end; done.\n",
    );
    await applyMigrations(whole, MIGRATIONS);
    await applyMigrations(whole, folder);
    await applyMigrations(whole, folder);
    expect(await appliedIn(whole)).toEqual([
      ...(await listMigrations(MIGRATIONS)),
      "9999_it's_new.sql",
    ]);
  });

  it("leave nothing of a file that fails halfway, and do not record it", async () => {
    const broken = await database("BROKEN");
    await writeFile(
      join(folder, "0000_first.sql"),
      "CREATE TABLE kept (a);\nCREATE TABLE half (a);\nINSERT INTO nowhere VALUES (1);\n",
    );
    await expect(applyMigrations(broken, folder)).rejects.toThrow(/0000_first\.sql.*nowhere/);
    expect((await schemaOf(broken)).map(({ name }) => name)).toEqual(["d1_migrations"]);
    expect(await appliedIn(broken)).toEqual([]);
  });

  function database(name: string) {
    return miniflare.getD1Database(name);
  }
});

type Database = Parameters<typeof applyMigrations>[0];

/** Without comments, which the splitter drops. */
async function schemaOf(database: Database): Promise<{ name: string; sql: string | null }[]> {
  const { results } = await database
    .prepare(
      "SELECT name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' AND name NOT LIKE '_cf_%' ORDER BY name",
    )
    .all<{ name: string; sql: string | null }>();
  return results.map(({ name, sql }) => ({
    name,
    sql: sql?.replace(/--.*$/gm, "").replace(/\s+/g, " ") ?? null,
  }));
}

async function appliedIn(database: Database): Promise<string[]> {
  const { results } = await database
    .prepare("SELECT name FROM d1_migrations ORDER BY id")
    .all<{ name: string }>();
  return results.map(({ name }) => name);
}
