import * as z from "zod";
import { readAll, type Sweeper } from "./read-all.ts";

/** The column that each table's store discards a row by. */
const NAMES = { assets: "path", font_objects: "key" } as const;
export type UploadTable = keyof typeof NAMES;

const Unfinished = z.object({ workspace_id: z.string(), key: z.string(), name: z.string() });

/**
 * Lists bytes of all workspaces that were announced before `beforeMs` and never made visible; oldest first, at most `limit`. `name` is
 * the value that the table's store discards them by.
 */
export async function listUnfinished(
  sweeper: Sweeper,
  table: UploadTable,
  beforeMs: number,
  limit: number,
): Promise<readonly z.infer<typeof Unfinished>[]> {
  return await readAll(sweeper, { limit, calls: 1 }, async (db, rows) => {
    const { results } = await db
      .prepare(
        `SELECT workspace_id, key, ${NAMES[table]} AS name FROM ${table} WHERE state = 'writing' AND created_at_ms < ?1 ORDER BY created_at_ms LIMIT ?2`,
      )
      .bind(beforeMs, rows)
      .all();
    return results.map((row) => Unfinished.parse(row));
  });
}
