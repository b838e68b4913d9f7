import type { Shard } from "../../contracts/workspaces/shard.ts";
import { AppError } from "../../lib/errors/errors.ts";
import type { AppContext } from "../../platform/context.ts";
import {
  listShards as listRows,
  setShardOpen,
  type ShardRow,
  sizeOfShard,
} from "../../storage/d1/shard-store.ts";

/** The shards of the deployment with their sizes, by number. */
export async function listShards(ctx: AppContext): Promise<Shard[]> {
  const rows = await listRows(ctx.env);
  return await Promise.all(rows.map((row) => withSize(ctx, row)));
}

/** Opens or closes a shard. Throws `validation_error` if the deployment does not have it. */
export async function patchShard(ctx: AppContext, shard: number, isOpen: boolean): Promise<Shard> {
  const row = requireShard(await listRows(ctx.env), shard);
  await setShardOpen(ctx.env, shard, isOpen);
  return await withSize(ctx, { ...row, is_open: isOpen });
}

/**
 * The shard of a new organization: the one that is asked for, or the open one with the fewest organizations, of several
 * the first. Throws `validation_error` if the wanted one is missing or closed, `conflict` if all are closed.
 */
export async function chooseShard(ctx: AppContext, wanted: number | undefined): Promise<number> {
  const rows = await listRows(ctx.env);
  if (wanted !== undefined) {
    if (!requireShard(rows, wanted).is_open) {
      throw invalid(`Shard ${String(wanted)} is closed. Open it, or choose another one.`);
    }
    return wanted;
  }
  const [first, ...others] = rows.filter(({ is_open: isOpen }) => isOpen);
  if (first === undefined) {
    throw new AppError(
      "conflict",
      "All shards are closed. PATCH /admin/v1/shards/{shard} opens one.",
    );
  }
  return others.reduce(
    (least, row) => (row.organizations < least.organizations ? row : least),
    first,
  ).shard;
}

function requireShard(rows: readonly ShardRow[], shard: number): ShardRow {
  const row = rows.find((each) => each.shard === shard);
  if (row === undefined) {
    throw invalid(`There is no shard ${String(shard)}. GET /admin/v1/shards lists all shards.`);
  }
  return row;
}

function invalid(message: string): AppError {
  return new AppError("validation_error", `shard: ${message}`, {
    errors: [{ field: "shard", message }],
  });
}

async function withSize(ctx: AppContext, row: ShardRow): Promise<Shard> {
  const { shard, binding, organizations, is_open } = row;
  return { shard, binding, organizations, size_bytes: await sizeOfShard(ctx.env, shard), is_open };
}
