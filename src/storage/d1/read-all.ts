/** How sweeps read rows of all workspaces. */
import { describeCause } from "../../lib/errors/describe-cause.ts";
import type { Logger } from "../../platform/logger.ts";
import { SHARDS_AT_ONCE } from "./share-link-entries.ts";
import { askAll, believeOrganization, databaseAt, type Databases, shardsOf } from "./databases.ts";

/** Statements of one invocation, which all sweeps of the operator's schedule share, without those for share links. */
const D1_STATEMENTS_MAX = 1_000 - 2 * SHARDS_AT_ONCE;
const SWEEPS = 5;

/** Who reads rows of all workspaces. */
export interface Sweeper {
  readonly env: Databases;
  readonly log: Pick<Logger, "error">;
}

/** What a sweep does with the rows that it finds. */
export interface Swept {
  /** Rows of one sweep at most. */
  readonly limit: number;
  /** Calls of stores that each row costs. */
  readonly calls: number;
}

/**
 * Reads rows of all workspaces, those of every shard that responds in turn, so that none waits for the others. The failures of
 * others are logged; if no shard responds, the first of them is thrown. With several shards, fewer rows are returned than
 * `limit` if an invocation could not ask D1 about all of them; the others are found again.
 */
export async function readAll<T extends { readonly workspace_id: string }>(
  { env, log }: Sweeper,
  swept: Swept,
  read: (db: D1Database, limit: number) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const all = shardsOf(env);
  const limit =
    all.length === 1 ? swept.limit : Math.min(swept.limit, affordable(all.length, swept));
  const asked = await askAll(env, (db) => read(db, limit));
  const failures = asked.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
  if (failures.length === asked.length) {
    throw failures[0];
  }
  for (const reason of failures) {
    log.error("shard.unreachable", { reason: describeCause(reason) });
  }
  const found = asked.map((each) => (each.status === "fulfilled" ? each.value : []));
  const inTurn = Array.from({ length: limit }, (_row, index) =>
    found.flatMap((rows, shard) => {
      const row = rows[index];
      return row === undefined ? [] : [{ row, shard: all[shard] ?? 0 }];
    }),
  ).flat();
  const taken = inTurn.slice(0, limit);
  if (all.length > 1) {
    await tellOrganizations(env, taken);
  }
  return taken.map(({ row }) => row);
}

/** Rows of one sweep for which statements are left: a call is two, and each organization's home is asked. */
function affordable(count: number, { calls }: Swept): number {
  const statements = D1_STATEMENTS_MAX / SWEEPS - 2 * count;
  return Math.max(1, Math.floor(statements / (2 * calls + 1)));
}

/** Notes the organizations of rows by one statement for each shard, in place of a question to all shards for each row. */
async function tellOrganizations(
  env: Databases,
  rows: readonly { readonly row: { readonly workspace_id: string }; readonly shard: number }[],
): Promise<void> {
  for (const [shard, own] of Map.groupBy(rows, (each) => each.shard)) {
    const { results } = await databaseAt(env, shard)
      .prepare(
        "SELECT id, organization_id FROM workspaces WHERE id IN (SELECT value FROM json_each(?))",
      )
      .bind(JSON.stringify([...new Set(own.map(({ row }) => row.workspace_id))]))
      .all<{ id: string; organization_id: string }>();
    for (const { id, organization_id } of results) {
      believeOrganization(env, id, organization_id);
    }
  }
}
