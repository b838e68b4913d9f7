import * as z from "zod";
import { type Database, databaseOf, type Databases } from "./databases.ts";
import { readAll, type Sweeper } from "./read-all.ts";

const PreviewRow = z.object({
  folder: z.string(),
  workspace_id: z.string(),
  page_count: z.int(),
});
export type PreviewRow = z.infer<typeof PreviewRow>;

/** All SQL on the stored previews of one workspace's design templates. */
export class PreviewStore {
  readonly #db: Database;
  readonly #workspaceId: string;

  constructor(bindings: Databases, workspaceId: string) {
    this.#db = databaseOf(bindings, workspaceId);
    this.#workspaceId = workspaceId;
  }

  /** Announces the files of a preview before they are written. */
  async begin(folder: string, pageCount: number, expiresAtMs: number): Promise<void> {
    await this.#db
      .prepare(
        "INSERT INTO design_template_previews (folder, workspace_id, page_count, expires_at_ms) VALUES (?1, ?2, ?3, ?4)",
      )
      .bind(folder, this.#workspaceId, pageCount, expiresAtMs)
      .run();
  }

  /** Forgets a preview whose files are deleted. */
  async forget(folder: string): Promise<void> {
    await this.#db
      .prepare("DELETE FROM design_template_previews WHERE folder = ?1 AND workspace_id = ?2")
      .bind(folder, this.#workspaceId)
      .run();
  }
}

/** Previews of all workspaces that have expired, oldest first; at most `limit`. */
export async function listExpiredPreviews(
  sweeper: Sweeper,
  nowMs: number,
  limit: number,
): Promise<readonly PreviewRow[]> {
  return await readAll(sweeper, { limit, calls: 1 }, async (db, rows) => {
    const { results } = await db
      .prepare(
        `SELECT folder, workspace_id, page_count FROM design_template_previews
         WHERE expires_at_ms <= ?1 ORDER BY expires_at_ms LIMIT ?2`,
      )
      .bind(nowMs, rows)
      .all();
    return results.map((row) => PreviewRow.parse(row));
  });
}
