import * as z from "zod";
import { type Database, databaseOf, type Databases } from "./databases.ts";
import { fitsQuota } from "./fits-quota.ts";

const Keys = z.object({ key: z.string() });
const Total = z.object({ bytes: z.int().nullable(), files: z.int() });

/** All SQL on the bytes of one workspace's fonts. A revision's transaction (FontStore) makes them visible. */
export class FontObjectStore {
  readonly #db: Database;
  readonly #workspaceId: string;

  constructor(bindings: Databases, workspaceId: string) {
    this.#db = databaseOf(bindings, workspaceId);
    this.#workspaceId = workspaceId;
  }

  /** Announces bytes before they are written. Returns false if the quota is used up. */
  async begin(key: string, nowMs: number, maxBytes: number | null): Promise<boolean> {
    const result = await this.#db
      .prepare(
        `INSERT INTO font_objects (key, workspace_id, sha256, size_bytes, state, created_at_ms)
         SELECT ?2, ?1, '', 0, 'writing', ?3 WHERE ${fitsQuota("1", "?4")}`,
      )
      .bind(this.#workspaceId, key, nowMs, maxBytes)
      .run();
    return result.meta.changes > 0;
  }

  /** Records the written bytes. Returns false if they exceed the quota or the row is gone. */
  async measure(
    key: string,
    written: { readonly sha256: string; readonly sizeBytes: number },
    maxBytes: number | null,
  ): Promise<boolean> {
    const result = await this.#db
      .prepare(
        `UPDATE font_objects SET sha256 = ?3, size_bytes = ?4
         WHERE workspace_id = ?1 AND key = ?2 AND state = 'writing' AND ${fitsQuota("?4 - size_bytes", "?5")}`,
      )
      .bind(this.#workspaceId, key, written.sha256, written.sizeBytes, maxBytes)
      .run();
    return result.meta.changes > 0;
  }

  /** Whether the workspace already keeps these bytes; kept bytes are permanent. */
  async has(sha256: string): Promise<boolean> {
    const row = await this.#db
      .prepare(
        "SELECT 1 FROM font_objects WHERE workspace_id = ? AND sha256 = ? AND state = 'ready'",
      )
      .bind(this.#workspaceId, sha256)
      .first();
    return row !== null;
  }

  /**
   * Claims the keys that no revision has made visible, and returns them; no later revision can use them. Their rows
   * stay, due for the sweep, until `discard`.
   */
  async condemn(keys: readonly string[]): Promise<string[]> {
    const { results } = await this.#db
      .prepare(
        `UPDATE font_objects SET sha256 = '', created_at_ms = 0
         WHERE workspace_id = ? AND state = 'writing' AND key IN (SELECT value FROM json_each(?)) RETURNING key`,
      )
      .bind(this.#workspaceId, JSON.stringify(keys))
      .all();
    return results.map((row) => Keys.parse(row).key);
  }

  /** Removes the rows of unused bytes. The caller deletes the bytes first. */
  async discard(keys: readonly string[]): Promise<void> {
    await this.#db
      .prepare(
        "DELETE FROM font_objects WHERE workspace_id = ? AND state = 'writing' AND key IN (SELECT value FROM json_each(?))",
      )
      .bind(this.#workspaceId, JSON.stringify(keys))
      .run();
  }

  /** Counts kept bytes and files, each file once. */
  async total(): Promise<{ readonly bytes: number; readonly files: number }> {
    const row = await this.#db
      .prepare(
        "SELECT sum(size_bytes) AS bytes, count(*) AS files FROM font_objects WHERE workspace_id = ? AND state = 'ready'",
      )
      .bind(this.#workspaceId)
      .first();
    const { bytes, files } = Total.parse(row);
    return { bytes: bytes ?? 0, files };
  }
}
