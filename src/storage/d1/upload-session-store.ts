import * as z from "zod";
import { type Database, databaseOf, type Databases } from "./databases.ts";
import { SESSION_LIFETIME_MS } from "../../contracts/files/upload.ts";
import { IDEMPOTENCY_KEPT_MS } from "../../lib/idempotency-record.ts";
import { fitsQuota } from "./fits-quota.ts";
import { INSERTED_ASSET, type InsertedAsset, insertedAsset } from "./inserted-asset.ts";

const KeyRow = z.object({ fingerprint: z.string(), upload_id: z.string() });

/** Longer than the life of any session. */
const LOST_AFTER_MS = 2 * SESSION_LIFETIME_MS;

export interface HeldSession {
  readonly id: string;
  readonly sizeBytes: number;
  /** The quota; null for none. */
  readonly maxBytes: number | null;
  readonly nowMs: number;
}

export interface PublishedAsset extends InsertedAsset {
  readonly etag: string;
}

/** The part of a workspace's upload sessions that D1 stores: their reserved bytes and idempotency keys. */
export class UploadSessionStore {
  readonly #db: Database;
  readonly #workspaceId: string;

  constructor(bindings: Databases, workspaceId: string) {
    this.#db = databaseOf(bindings, workspaceId);
    this.#workspaceId = workspaceId;
  }

  /** Reserves a session's bytes when it is created. Returns false if they exceed the quota. */
  async hold(held: HeldSession): Promise<boolean> {
    const [, result] = await this.#db.batch([this.#forgetLost(held.nowMs), this.#holding(held)]);
    return (result?.meta.changes ?? 0) > 0;
  }

  /** Whether a session still reserves its bytes: it has not ended, or its creation was interrupted. */
  async isHeld(id: string): Promise<boolean> {
    const row = await this.#db
      .prepare("SELECT 1 FROM upload_sessions WHERE id = ? AND workspace_id = ?")
      .bind(id, this.#workspaceId)
      .first();
    return row !== null;
  }

  /** With `key`, only if the session has that key. */
  #holding({ id, sizeBytes, maxBytes, nowMs }: HeldSession, key?: string): D1PreparedStatement {
    return this.#db
      .prepare(
        `INSERT INTO upload_sessions (id, workspace_id, size_bytes, created_at_ms)
         SELECT ?2, ?1, ?3, ?4 WHERE ${fitsQuota("?3", "?5")}
           AND (?6 IS NULL OR EXISTS (SELECT 1 FROM upload_keys WHERE workspace_id = ?1 AND key = ?6 AND upload_id = ?2))`,
      )
      .bind(this.#workspaceId, id, sizeBytes, nowMs, maxBytes, key ?? null);
  }

  /** Without an expiry, an interrupted creation that is never retried would reserve its bytes forever. */
  #forgetLost(nowMs: number): D1PreparedStatement {
    return this.#db
      .prepare("DELETE FROM upload_sessions WHERE workspace_id = ? AND created_at_ms < ?")
      .bind(this.#workspaceId, nowMs - LOST_AFTER_MS);
  }

  /** Releases a session's reservation. Safe to repeat. */
  async release(id: string): Promise<void> {
    await this.#db
      .prepare("DELETE FROM upload_sessions WHERE id = ? AND workspace_id = ?")
      .bind(id, this.#workspaceId)
      .run();
  }

  /** Replaces the session's reservation by the asset, in one transaction. Safe to repeat. */
  async publish(id: string, asset: PublishedAsset): Promise<void> {
    await this.#db.batch([
      this.#db
        .prepare(
          `INSERT INTO assets (${INSERTED_ASSET}, etag, state)
           VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, 'ready') ON CONFLICT (path) DO NOTHING`,
        )
        .bind(...insertedAsset(this.#workspaceId, asset), asset.etag),
      this.#db
        .prepare("DELETE FROM upload_sessions WHERE id = ?2 AND workspace_id = ?1")
        .bind(this.#workspaceId, id),
    ]);
  }

  /** Returns the session that an idempotency key created, if the key has not expired. */
  async findKey(key: string, nowMs: number): Promise<z.infer<typeof KeyRow> | undefined> {
    const row = await this.#db
      .prepare(
        "SELECT fingerprint, upload_id FROM upload_keys WHERE workspace_id = ? AND key = ? AND created_at_ms > ?",
      )
      .bind(this.#workspaceId, key, nowMs - IDEMPOTENCY_KEPT_MS)
      .first();
    return row === null ? undefined : KeyRow.parse(row);
  }

  /**
   * Claims a key for a session and reserves the session's bytes, in one transaction. Returns `lost` if another session
   * has the key, `full` if the bytes exceed the quota. An expired key is free.
   */
  async takeKey(
    key: string,
    fingerprint: string,
    session: HeldSession,
  ): Promise<"taken" | "lost" | "full"> {
    const { id, nowMs } = session;
    const [, taken, held] = await this.#db.batch([
      this.#forgetLost(nowMs),
      this.#db
        .prepare(
          `INSERT INTO upload_keys (workspace_id, key, fingerprint, upload_id, created_at_ms) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (workspace_id, key) DO UPDATE SET fingerprint = ?3, upload_id = ?4, created_at_ms = ?5
         WHERE created_at_ms <= ?6`,
        )
        .bind(this.#workspaceId, key, fingerprint, id, nowMs, nowMs - IDEMPOTENCY_KEPT_MS),
      this.#holding(session, key),
    ]);
    if ((taken?.meta.changes ?? 0) === 0) {
      return "lost";
    }
    if ((held?.meta.changes ?? 0) === 0) {
      await this.freeKey(key, id);
      return "full";
    }
    return "taken";
  }

  /** Releases the key of a session that was not created. */
  async freeKey(key: string, uploadId: string): Promise<void> {
    await this.#db
      .prepare("DELETE FROM upload_keys WHERE workspace_id = ? AND key = ? AND upload_id = ?")
      .bind(this.#workspaceId, key, uploadId)
      .run();
  }
}
