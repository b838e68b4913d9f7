import { expect, test } from "vitest";
import { checkDatabases, compareDatabases } from "../../../scripts/check-databases.ts";

const database = (binding: string, id: string) =>
  `[[d1_databases]]\nbinding = "${binding}"\ndatabase_id = "${id}"\n`;
const two = database("DB", "a") + database("DB_1", "b");

test("the Workers of this project have the same databases", async () => {
  const files = [
    "wrangler.toml",
    "queues/wrangler.toml",
    "src/workers/renderer/wrangler.toml",
    "src/workers/media/wrangler.toml",
  ];
  expect(await checkDatabases(files)).toEqual([]);
});

test("a Worker without a shard, with one more, or with another database under its name is refused", () => {
  expect(
    compareDatabases({ api: two, runner: database("DB_1", "b") + database("DB", "a") }),
  ).toEqual([]);
  const missing = compareDatabases({ api: two, runner: database("DB", "a"), media: two });
  expect(missing).toHaveLength(1);
  expect(missing[0]).toContain('runner has no DB_1, and api has DB_1 with the id "b"');
  const more = compareDatabases({ api: database("DB", "a"), runner: two });
  expect(more[0]).toContain('runner has DB_1 with the id "b", and api has no DB_1');
  const other = compareDatabases({ api: two, media: database("DB", "a") + database("DB_1", "c") });
  expect(other[0]).toContain('media has DB_1 with the id "c", and api has DB_1 with the id "b"');
  expect(compareDatabases({ api: two, media: two + database("REPORTS", "r") })).toEqual([]);
});
