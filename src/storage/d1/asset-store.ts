import * as z from "zod";
import { type Database, databaseOf, type Databases } from "./databases.ts";
import { foldCase } from "../../lib/fold-case.ts";
import { fitsQuota } from "./fits-quota.ts";
import { INSERTED_ASSET, type InsertedAsset, insertedAsset } from "./inserted-asset.ts";
import { type OnceStatements, runOnce } from "./idempotency-store.ts";
import { readPage } from "./read-page.ts";

const AssetRow = z.object({
  seq: z.int(),
  path: z.string(),
  workspace_id: z.string(),
  key: z.string(),
  name: z.string(),
  content_type: z.string(),
  kind: z.string(),
  size_bytes: z.int(),
  etag: z.string(),
  created_at_ms: z.int(),
});
export type AssetRow = z.infer<typeof AssetRow>;

const COLUMNS = Object.keys(AssetRow.shape).join(", ");
const Count = z.object({ n: z.int() });
const Usage = z.object({
  asset_bytes: z.int(),
  session_bytes: z.int(),
  output_bytes: z.int(),
  output_count: z.int(),
  outputs_measured_at_ms: z.int(),
});
/** Usage that counts towards a workspace's quota, by origin. */
export type Usage = z.infer<typeof Usage>;
const NO_USAGE: Usage = {
  asset_bytes: 0,
  session_bytes: 0,
  output_bytes: 0,
  output_count: 0,
  outputs_measured_at_ms: 0,
};
const Category = z.object({ kind: z.string(), bytes: z.int(), files: z.int() });

export interface AssetFilter {
  readonly prefix: string | null;
  /** Contained in the name, ignoring case. */
  readonly name: string | null;
  readonly belowSeq: number | null;
  readonly limit: number;
}

const OURS = "workspace_id = ?1 AND state = 'ready'";

/** All SQL on the assets of one workspace. */
export class AssetStore {
  readonly #db: Database;
  readonly #workspaceId: string;

  constructor(bindings: Databases, workspaceId: string) {
    this.#db = databaseOf(bindings, workspaceId);
    this.#workspaceId = workspaceId;
  }

  /** Returns the asset; `elsewhere` if it belongs to another workspace; undefined if there is none. */
  async find(path: string): Promise<AssetRow | "elsewhere" | undefined> {
    const row = await this.#db
      .prepare(`SELECT ${COLUMNS} FROM assets WHERE path = ? AND state = 'ready'`)
      .bind(path)
      .first();
    if (row === null) {
      return undefined;
    }
    const asset = AssetRow.parse(row);
    return asset.workspace_id === this.#workspaceId ? asset : "elsewhere";
  }

  /** Returns the existing ones of many paths, each as `find` returns it. */
  async findMany(paths: readonly string[]): Promise<ReadonlyMap<string, AssetRow | "elsewhere">> {
    const { results } = await this.#db
      .prepare(
        `SELECT ${COLUMNS} FROM assets WHERE path IN (SELECT value FROM json_each(?)) AND state = 'ready'`,
      )
      .bind(JSON.stringify(paths))
      .all();
    return new Map(
      results.map((row) => {
        const asset = AssetRow.parse(row);
        return [asset.path, asset.workspace_id === this.#workspaceId ? asset : "elsewhere"];
      }),
    );
  }

  /** Returns the path of the asset with this key in R2; undefined if there is none, or no more. */
  async pathOfKey(key: string): Promise<string | undefined> {
    const path = await this.#db
      .prepare("SELECT path FROM assets WHERE key = ? AND workspace_id = ? AND state = 'ready'")
      .bind(key, this.#workspaceId)
      .first<string>("path");
    return path ?? undefined;
  }

  /**
   * Returns a path's place in the order of creation, also for a deleted asset; undefined if the workspace never had it.
   */
  async seqOf(path: string): Promise<number | undefined> {
    const row = await this.#db
      .prepare("SELECT seq AS n FROM assets WHERE path = ? AND workspace_id = ?")
      .bind(path, this.#workspaceId)
      .first();
    return row === null ? undefined : Count.parse(row).n;
  }

  /** Newest first. */
  async list(filter: AssetFilter): Promise<{ rows: AssetRow[]; total: number }> {
    // LIKE would treat % and _ in the caller's text as wildcards, and its patterns end at 50 bytes.
    const where = `${OURS} AND (?2 IS NULL OR substr(path, 1, length(?2)) = ?2) AND (?3 IS NULL OR instr(name_folded, ?3) > 0)`;
    const name = filter.name === null ? null : foldCase(filter.name);
    return await readPage(
      this.#db,
      {
        table: "assets",
        columns: COLUMNS,
        where,
        bound: [this.#workspaceId, filter.prefix, name],
        belowSeq: filter.belowSeq,
        limit: filter.limit,
      },
      (row) => AssetRow.parse(row),
    );
  }

  /** Returns the path of the newest asset of one of these types, for examples. */
  async newestOf(contentTypes: readonly string[]): Promise<string | undefined> {
    const path = await this.#db
      .prepare(
        `SELECT path FROM assets WHERE ${OURS} AND content_type IN (SELECT value FROM json_each(?2)) ORDER BY seq DESC LIMIT 1`,
      )
      .bind(this.#workspaceId, JSON.stringify(contentTypes))
      .first<string>("path");
    return path ?? undefined;
  }

  /** Announces an asset before its bytes are written; its `sizeBytes` are reserved until the true size is known. Returns false if it exceeds the quota. */
  async begin(asset: InsertedAsset, maxBytes: number | null): Promise<boolean> {
    const result = await this.#db
      .prepare(
        `INSERT INTO assets (${INSERTED_ASSET}, etag, state)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, '', 'writing' WHERE ${fitsQuota("?8", "?10")}`,
      )
      .bind(...insertedAsset(this.#workspaceId, asset), maxBytes)
      .run();
    return result.meta.changes > 0;
  }

  /**
   * Makes an announced asset visible with its true size. Returns false if that exceeds the quota or the row is gone.
   */
  async finish(
    path: string,
    stored: { readonly sizeBytes: number; readonly etag: string },
    maxBytes: number | null,
    once?: OnceStatements,
  ): Promise<boolean> {
    const create = this.#finish("ready", path, stored, maxBytes);
    return (await runOnce(this.#db, create, path, once)).changes > 0;
  }

  /** The same for an asset that `reveal` makes visible. It is swept if that never happens. */
  async finishHidden(
    path: string,
    stored: { readonly sizeBytes: number; readonly etag: string },
    maxBytes: number | null,
  ): Promise<boolean> {
    return (await this.#finish("writing", path, stored, maxBytes).run()).meta.changes > 0;
  }

  /** Makes hidden assets visible if `condition` holds, an SQL condition on the bound value `?3`. */
  reveal(paths: readonly string[], condition: string, value: string): D1PreparedStatement {
    return this.#db
      .prepare(
        `UPDATE assets SET state = 'ready' WHERE workspace_id = ?1 AND state = 'writing'
         AND path IN (SELECT value FROM json_each(?2)) AND ${condition}`,
      )
      .bind(this.#workspaceId, JSON.stringify(paths), value);
  }

  #finish(
    state: "ready" | "writing",
    path: string,
    stored: { readonly sizeBytes: number; readonly etag: string },
    maxBytes: number | null,
  ): D1PreparedStatement {
    return this.#db
      .prepare(
        `UPDATE assets SET state = '${state}', size_bytes = ?3, etag = ?4
         WHERE workspace_id = ?1 AND path = ?2 AND state = 'writing' AND ${fitsQuota("?3 - size_bytes", "?5")}`,
      )
      .bind(this.#workspaceId, path, stored.sizeBytes, stored.etag, maxBytes);
  }

  /** Removes the row of an announced asset whose upload failed. */
  async discard(path: string): Promise<void> {
    await this.#db
      .prepare("DELETE FROM assets WHERE workspace_id = ? AND path = ? AND state = 'writing'")
      .bind(this.#workspaceId, path)
      .run();
  }

  /** Makes an asset invisible for good. Returns false if there is none. The caller deletes its bytes. */
  async markDeleted(path: string): Promise<boolean> {
    const result = await this.#db
      .prepare(
        `UPDATE assets SET state = 'deleted', size_bytes = 0, name = '', name_folded = '' WHERE ${OURS} AND path = ?2`,
      )
      .bind(this.#workspaceId, path)
      .run();
    return result.meta.changes > 0;
  }

  /** Stored and reserved bytes. */
  async usage(): Promise<Usage> {
    const row = await this.#db
      .prepare("SELECT * FROM storage_usage WHERE workspace_id = ?")
      .bind(this.#workspaceId)
      .first();
    return row === null ? NO_USAGE : Usage.parse(row);
  }

  async countSessions(): Promise<number> {
    const row = await this.#db
      .prepare("SELECT count(*) AS n FROM upload_sessions WHERE workspace_id = ?")
      .bind(this.#workspaceId)
      .first();
    return Count.parse(row).n;
  }

  /** Records the measured size of the files of runs. */
  async putOutputUsage(bytes: number, count: number, nowMs: number): Promise<void> {
    await this.#db
      .prepare(
        `INSERT INTO storage_usage (workspace_id, output_bytes, output_count, outputs_measured_at_ms) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (workspace_id) DO UPDATE SET output_bytes = ?2, output_count = ?3, outputs_measured_at_ms = ?4`,
      )
      .bind(this.#workspaceId, bytes, count, nowMs)
      .run();
  }

  /** Bytes and files of visible assets by kind. */
  async totals(): Promise<z.infer<typeof Category>[]> {
    const { results } = await this.#db
      .prepare(
        `SELECT kind, sum(size_bytes) AS bytes, count(*) AS files FROM assets WHERE ${OURS} GROUP BY kind`,
      )
      .bind(this.#workspaceId)
      .all();
    return results.map((row) => Category.parse(row));
  }
}
