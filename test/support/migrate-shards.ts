import { applyD1Migrations, type D1Migration } from "cloudflare:test";

/** Applies the migrations to further shards. */
export async function migrateShards(
  migrations: D1Migration[],
  shards: readonly (D1Database | undefined)[],
): Promise<void> {
  for (const shard of shards) {
    if (shard === undefined) {
      throw new Error("vitest.config.ts gives the tests no such shard");
    }
    await applyD1Migrations(shard, migrations);
  }
}
