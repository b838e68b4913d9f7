import { env } from "cloudflare:workers";
import type { Databases } from "../../src/storage/d1/databases.ts";
import { migrateShards } from "./migrate-shards.ts";

/** Databases of the Worker as shards 1 and 2. */
export interface Shards extends Databases {
  readonly DB_1: D1Database;
  readonly DB_2: D1Database;
}

/** The databases that `vitest.config.ts` keeps for shards 1 and 2, with their tables, empty. */
export async function newShards(): Promise<Shards> {
  const [DB_1, DB_2] = [env.SHARD_1 ?? env["DB_1"], env.SHARD_2 ?? env["DB_2"]];
  if (DB_1 === undefined || DB_2 === undefined) {
    throw new Error("vitest.config.ts gives the tests no shards");
  }
  if (env.WORKER_SHARDS !== "1") {
    await migrateShards(env.TEST_MIGRATIONS, [DB_1, DB_2]);
  }
  return { DB: env.DB, DB_1, DB_2 };
}
