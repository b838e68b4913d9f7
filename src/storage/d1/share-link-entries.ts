/** Share links that R2 does not have yet (storage/r2/share-link-homes.ts): of an older release, or from one database. */
import { unlimited } from "../../platform/limits.ts";
import { askAll, databaseAt, type Databases, shardsOf } from "./databases.ts";

export interface UnenteredLink {
  readonly id: string;
  readonly token_hash: string;
  readonly workspace_id: string;
  readonly organization_id: string;
}

const TABLE = "design_template_share_links";
/** How long an isolate believes that R2 has all links, or that it has not. */
const BELIEVED_MS = 30_000;

const believed = new WeakMap<object, { readonly isComplete: boolean; readonly untilMs: number }>();

/** Whether R2 has every share link, so that a token that it does not have belongs to none. One statement of each shard in 30 s. */
export async function hasAllShareLinks(bindings: Databases): Promise<boolean> {
  const key = unlimited(bindings);
  const nowMs = Date.now();
  const known = believed.get(key);
  if (known !== undefined && nowMs < known.untilMs) {
    return known.isComplete;
  }
  const asked = await askAll(bindings, (db) =>
    db.prepare(`SELECT 1 FROM ${TABLE} WHERE is_entered = 0 LIMIT 1`).first(),
  );
  const isComplete = asked.every((each) => each.status === "fulfilled" && each.value === null);
  believed.set(key, { isComplete, untilMs: nowMs + BELIEVED_MS });
  return isComplete;
}

/** Shards of one sweep: sweeps share what an invocation may ask D1. */
export const SHARDS_AT_ONCE = 8;

/** What is done with the links of a shard. */
export interface Entering {
  readonly enter: (link: UnenteredLink) => Promise<void>;
  readonly fail: (error: unknown) => void;
}

/**
 * Hands links that R2 does not have to `enter`, at most `limit` of each of a few shards, which take `turn`s, and notes that it
 * has them. Two statements of each shard. Returns the number of links.
 */
export async function enterLinks(
  bindings: Databases,
  { limit, turn }: { readonly limit: number; readonly turn: number },
  { enter, fail }: Entering,
): Promise<number> {
  const all = shardsOf(bindings);
  const shards = Array.from(
    { length: Math.min(SHARDS_AT_ONCE, all.length) },
    (_shard, index) => all[(turn * SHARDS_AT_ONCE + index) % all.length] ?? 0,
  );
  let count = 0;
  for (const shard of shards) {
    try {
      const db = databaseAt(bindings, shard);
      // Those of an organization that moves are entered when its move has ended.
      const { results } = await db
        .prepare(
          `SELECT l.id, l.token_hash, l.workspace_id, w.organization_id
           FROM ${TABLE} l JOIN workspaces w ON w.id = l.workspace_id
           WHERE l.is_entered = 0
             AND w.organization_id NOT IN (SELECT organization_id FROM organization_moves) ORDER BY l.seq LIMIT ?`,
        )
        .bind(limit)
        .all<UnenteredLink>();
      if (results.length > 0) {
        await Promise.all(results.map(enter));
        await db
          .prepare(
            `UPDATE ${TABLE} SET is_entered = 1 WHERE id IN (SELECT value FROM json_each(?))`,
          )
          .bind(JSON.stringify(results.map(({ id }) => id)))
          .run();
        count += results.length;
      }
    } catch (error) {
      fail(error);
    }
  }
  return count;
}
