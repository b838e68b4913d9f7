import type { MoveRefused } from "../../contracts/workspaces/organization-move.ts";
import { MOVED_TABLES } from "../../contracts/workspaces/moved-tables.ts";
import { askHome, databaseAt, type Databases } from "../../storage/d1/databases.ts";
import { clearRows, closeAt, stateAt } from "../../storage/d1/moves/move-store.ts";
import { listShards } from "../../storage/d1/shard-store.ts";
import { hasEnded, type MoveRecord, namesOf, newMove } from "./move-record.ts";

/** Rows at a former home are kept for this long: isolates and tokens may name it until then. */
export const FORMER_ROWS_MS = 10 * 60_000;

/** The record of a move to begin, or why it may not. Throws `service_unavailable` if the home has no binding here. */
export async function beginMove(
  env: Databases,
  last: MoveRecord | undefined,
  { organization, to }: Pick<MoveRecord, "organization" | "to">,
  nowMs: number,
): Promise<MoveRecord | MoveRefused> {
  const shard = (await listShards(env)).find((each) => each.shard === to);
  if (shard === undefined) {
    return refused(
      "validation_error",
      `There is no shard ${String(to)}. GET /admin/v1/shards lists all shards.`,
    );
  }
  if (last !== undefined && !hasEnded(last)) {
    return refused("conflict", "The organization is being moved. Wait until the move has ended.");
  }
  const { shard: from } = await askHome(env, organization);
  if (from === to) {
    return refused("conflict", `The organization is at home on shard ${String(to)} already.`);
  }
  if (!shard.is_open) {
    return refused(
      "validation_error",
      `Shard ${String(to)} is closed. Open it, or choose another one.`,
    );
  }
  return newMove({ organization, from, to, startedAtMs: nowMs, tables: namesOf(MOVED_TABLES) });
}

function refused(code: MoveRefused["code"], message: string): MoveRefused {
  return { code, message };
}

/** Deletes the rows at a former home. Does nothing if the organization has come back. */
export async function clearFormerHome(
  env: Databases,
  organization: string,
  shard: number,
): Promise<void> {
  const db = databaseAt(env, shard);
  const isHome = (await askHome(env, organization)).shard === shard;
  if (isHome || (await stateAt(db, organization)) !== "moved") {
    return;
  }
  await clearRows(db, organization, "moved");
  await closeAt(db, organization);
}
