import { z } from "zod";
import { foldCase } from "../../lib/fold-case.ts";

const KeyRow = z.object({ fingerprint: z.string(), upload_id: z.string() });

/** decisions §7. */
const KEY_LIFETIME_MS = 24 * 60 * 60 * 1000;

export interface PublishedAsset {
  readonly path: string;
  readonly key: string;
  readonly name: string;
  readonly contentType: string;
  readonly kind: string;
  readonly sizeBytes: number;
  readonly etag: string;
  readonly nowMs: number;
}

/** What D1 knows of a workspace's upload sessions: what they hold of its quota, and their idempotency keys. */
export class UploadSessionStore {
  readonly #db: D1Database;
  readonly #workspaceId: string;

  constructor(bindings: { readonly DB: D1Database }, workspaceId: string) {
    this.#db = bindings.DB;
    this.#workspaceId = workspaceId;
  }

  /** Holds a session's bytes from its creation; false when they do not fit the quota. */
  async hold(
    id: string,
    sizeBytes: number,
    maxBytes: number | null,
    nowMs: number,
  ): Promise<boolean> {
    const result = await this.#db
      .prepare(
        `INSERT INTO upload_sessions (id, workspace_id, size_bytes, created_at_ms)
         SELECT ?2, ?1, ?3, ?4 WHERE ?5 IS NULL
           OR ?3 + coalesce((SELECT asset_bytes + session_bytes + output_bytes FROM storage_usage WHERE workspace_id = ?1), 0) <= ?5`,
      )
      .bind(this.#workspaceId, id, sizeBytes, nowMs, maxBytes)
      .run();
    return result.meta.changes > 0;
  }

  /** Gives back what a session held. Repeats change nothing. */
  async release(id: string): Promise<void> {
    await this.#db
      .prepare("DELETE FROM upload_sessions WHERE id = ? AND workspace_id = ?")
      .bind(id, this.#workspaceId)
      .run();
  }

  /** The asset instead of the session, in one transaction. Repeats change nothing. */
  async publish(id: string, asset: PublishedAsset): Promise<void> {
    await this.#db.batch([
      this.#db
        .prepare(
          `INSERT INTO assets (path, workspace_id, key, name, name_folded, content_type, kind, size_bytes, etag, state, created_at_ms)
           VALUES (?2, ?1, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 'ready', ?10) ON CONFLICT (path) DO NOTHING`,
        )
        .bind(
          this.#workspaceId,
          asset.path,
          asset.key,
          asset.name,
          foldCase(asset.name),
          asset.contentType,
          asset.kind,
          asset.sizeBytes,
          asset.etag,
          asset.nowMs,
        ),
      this.#db
        .prepare("DELETE FROM upload_sessions WHERE id = ?2 AND workspace_id = ?1")
        .bind(this.#workspaceId, id),
    ]);
  }

  /** The session that an idempotency key made, if it is not too old. */
  async findKey(key: string, nowMs: number): Promise<z.infer<typeof KeyRow> | undefined> {
    const row = await this.#db
      .prepare(
        "SELECT fingerprint, upload_id FROM upload_keys WHERE workspace_id = ? AND key = ? AND created_at_ms > ?",
      )
      .bind(this.#workspaceId, key, nowMs - KEY_LIFETIME_MS)
      .first();
    return row === null ? undefined : KeyRow.parse(row);
  }

  /** Takes a key for a session; false when another session has it. A key that is too old is free. */
  async takeKey(
    key: string,
    fingerprint: string,
    uploadId: string,
    nowMs: number,
  ): Promise<boolean> {
    const result = await this.#db
      .prepare(
        `INSERT INTO upload_keys (workspace_id, key, fingerprint, upload_id, created_at_ms) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (workspace_id, key) DO UPDATE SET fingerprint = ?3, upload_id = ?4, created_at_ms = ?5
         WHERE created_at_ms <= ?6`,
      )
      .bind(this.#workspaceId, key, fingerprint, uploadId, nowMs, nowMs - KEY_LIFETIME_MS)
      .run();
    return result.meta.changes > 0;
  }

  /** Frees a key whose session came to nothing. */
  async freeKey(key: string, uploadId: string): Promise<void> {
    await this.#db
      .prepare("DELETE FROM upload_keys WHERE workspace_id = ? AND key = ? AND upload_id = ?")
      .bind(this.#workspaceId, key, uploadId)
      .run();
  }
}
