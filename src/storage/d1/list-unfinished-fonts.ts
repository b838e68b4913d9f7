import { z } from "zod";

const Unfinished = z.object({ workspace_id: z.string(), key: z.string() });

/** Bytes of fonts, of all workspaces, that were announced before `beforeMs` and never made visible; oldest first. */
export async function listUnfinishedFonts(
  db: D1Database,
  beforeMs: number,
  limit: number,
): Promise<z.infer<typeof Unfinished>[]> {
  const { results } = await db
    .prepare(
      "SELECT workspace_id, key FROM font_objects WHERE state = 'writing' AND created_at_ms < ?1 ORDER BY created_at_ms LIMIT ?2",
    )
    .bind(beforeMs, limit)
    .all();
  return results.map((row) => Unfinished.parse(row));
}
