import * as z from "zod";
import { bindingOf, databaseAt, type Databases, directoryOf, shardsOf } from "./databases.ts";

const Row = z.object({
  shard: z.int(),
  is_open: z.literal([0, 1]).transform((flag) => flag === 1),
  organizations: z.int(),
});

/** A shard of the deployment, as the directory knows it. */
export interface ShardRow {
  readonly shard: number;
  readonly binding: string;
  readonly is_open: boolean;
  readonly organizations: number;
}

/** The shards that the deployment has, by number. */
export async function listShards(bindings: Databases): Promise<readonly ShardRow[]> {
  const { results } = await directoryOf(bindings).prepare("SELECT * FROM shards").all();
  const rows = new Map(results.map((row) => Row.parse(row)).map((row) => [row.shard, row]));
  return shardsOf(bindings).map((shard) => ({
    binding: bindingOf(shard),
    ...(rows.get(shard) ?? { shard, is_open: true, organizations: 0 }),
  }));
}

/** Opens a shard for new organizations, or closes it. */
export async function setShardOpen(
  bindings: Databases,
  shard: number,
  isOpen: boolean,
): Promise<void> {
  await directoryOf(bindings)
    .prepare(
      `INSERT INTO shards (shard, is_open) VALUES (?1, ?2)
       ON CONFLICT (shard) DO UPDATE SET is_open = excluded.is_open`,
    )
    .bind(shard, isOpen ? 1 : 0)
    .run();
}

/** Size of a shard's database in bytes; null if it does not respond. */
export async function sizeOfShard(bindings: Databases, shard: number): Promise<number | null> {
  try {
    return (await databaseAt(bindings, shard).prepare("SELECT 1").run()).meta.size_after;
  } catch {
    return null;
  }
}
