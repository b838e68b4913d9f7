/** What the migrations of shards make of an existing deployment (docs/decisions/shards.md). */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";

const FOLDER = join(import.meta.dirname, "../../../src/storage/migrations");

test("every organization of before is at home on shard 0, its keys are known, and its share links are entered later", async () => {
  const names = (await readdir(FOLDER)).toSorted();
  const first = names.findIndex((name) => name.startsWith("0018"));
  expect(first).toBeGreaterThan(0);
  const database = new DatabaseSync(":memory:");
  const migrate = async (some: readonly string[]) => {
    for (const name of some) {
      database.exec(await readFile(join(FOLDER, name), "utf8"));
    }
  };
  await migrate(names.slice(0, first));
  database.exec(`
    INSERT INTO organizations VALUES ('org_1', 'O', 'dev', 1), ('org_2', 'P', 'dev', 1);
    INSERT INTO workspaces VALUES ('ws_1', 'org_1', 'W', 'dev', 1);
    INSERT INTO api_keys VALUES ('key_1', 'org_1', 'ws_1', 'K', '00', '[]', '[]', 0, 1, NULL, NULL);
    INSERT INTO design_template_share_links (id, template_id, workspace_id, revision, token_hash, require_sign_in, created_at_ms)
    VALUES ('sl_1', 'tpl_1', 'ws_1', 1, 't', 0, 1);`);
  await migrate(names.slice(first));
  const all = (sql: string) =>
    database
      .prepare(sql)
      .all()
      .map((row) => ({ ...row }));
  expect(all("SELECT * FROM organization_homes ORDER BY 1")).toEqual([
    { organization_id: "org_1", shard: 0 },
    { organization_id: "org_2", shard: 0 },
  ]);
  expect(all("SELECT * FROM key_organizations")).toEqual([
    { key_id: "key_1", organization_id: "org_1" },
  ]);
  expect(all("SELECT * FROM shards")).toEqual([{ shard: 0, is_open: 1, organizations: 2 }]);
  expect(all("SELECT * FROM organization_moves")).toEqual([]);
  expect(all("SELECT id, is_entered FROM design_template_share_links")).toEqual([
    { id: "sl_1", is_entered: 0 },
  ]);
  database.close();
});
