import * as z from "zod";
import { readAll, type Sweeper } from "./read-all.ts";

const Behind = z.object({ workspace_id: z.string(), id: z.string() });

/**
 * Lists workflows of all workspaces with a change before `beforeMs` that their workspace object has not received;
 * oldest first, at most `limit`.
 */
export async function listPointersBehind(
  sweeper: Sweeper,
  beforeMs: number,
  limit: number,
): Promise<readonly z.infer<typeof Behind>[]> {
  return await readAll(sweeper, { limit, calls: 4 }, async (db, rows) => {
    const { results } = await db
      .prepare(
        "SELECT workspace_id, id FROM workflows WHERE pointer_seq > pointer_synced_seq AND updated_at_ms < ?1 ORDER BY updated_at_ms LIMIT ?2",
      )
      .bind(beforeMs, rows)
      .all();
    return results.map((row) => Behind.parse(row));
  });
}
