import * as z from "zod";
import { type Database, databaseOf, type Databases } from "./databases.ts";
import { readAll, type Sweeper } from "./read-all.ts";
import type { EmbedOrigin, EmbedViewer } from "../../contracts/embeds/embed-origin.ts";

const OwnerRow = z.object({
  token: z.string(),
  key_id: z.string(),
  workflow_id: z.string(),
  end_user_id: z.string().nullable(),
});

const ExpiredRow = z.object({ path: z.string(), workspace_id: z.string() });

/** The token that uploaded a file, and its workflow. */
export interface EmbedOwner {
  readonly origin: EmbedOrigin;
  readonly workflowId: string;
}

export interface EmbedUpload {
  readonly path: string;
  /** The upload session; null for a file of one request. */
  readonly uploadId: string | null;
  readonly nowMs: number;
}

const DAY_MS = 86_400_000;
/** Retention of a plan that does not name one (`BillingPlanLimits`). */
const RETENTION_DAYS = 60;

/** Who uploaded the files of embeds of one workspace. */
export class EmbedAssetStore {
  readonly #db: Database;
  readonly #workspaceId: string;

  constructor(bindings: Databases, workspaceId: string) {
    this.#db = databaseOf(bindings, workspaceId);
    this.#workspaceId = workspaceId;
  }

  /** Notes the uploader of a path. The first note stands. */
  async note({ path, uploadId, nowMs }: EmbedUpload, by: EmbedViewer): Promise<void> {
    await this.#db
      .prepare(
        `INSERT INTO embed_assets
           (path, workspace_id, upload_id, token, key_id, workflow_id, end_user_id, created_at_ms)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (path) DO NOTHING`,
      )
      .bind(
        path,
        this.#workspaceId,
        uploadId,
        by.token,
        by.key_id,
        by.workflow_id,
        by.end_user_id,
        nowMs,
      )
      .run();
  }

  /** Undefined if no embed token uploaded the path. */
  ownerOf(path: string): Promise<EmbedOwner | undefined> {
    return this.#owner("path = ?2", path);
  }

  /** The same for an upload session. */
  ownerOfUpload(uploadId: string): Promise<EmbedOwner | undefined> {
    return this.#owner("upload_id = ?2", uploadId);
  }

  async forget(path: string): Promise<void> {
    await this.#db
      .prepare("DELETE FROM embed_assets WHERE workspace_id = ? AND path = ?")
      .bind(this.#workspaceId, path)
      .run();
  }

  async #owner(condition: string, value: string): Promise<EmbedOwner | undefined> {
    const found = await this.#db
      .prepare(
        `SELECT token, key_id, workflow_id, end_user_id FROM embed_assets
         WHERE workspace_id = ?1 AND ${condition}`,
      )
      .bind(this.#workspaceId, value)
      .first();
    if (found === null) {
      return undefined;
    }
    const { workflow_id, ...origin } = OwnerRow.parse(found);
    return { origin: { kind: "runtime", ...origin }, workflowId: workflow_id };
  }
}

/** Files whose workspace's plan keeps outputs no longer than this; at most `limit`, the oldest first. */
export async function listExpiredEmbedAssets(
  sweeper: Sweeper,
  nowMs: number,
  limit: number,
): Promise<readonly z.infer<typeof ExpiredRow>[]> {
  return await readAll(sweeper, { limit, calls: 3 }, async (db, rows) => {
    const { results } = await db
      .prepare(
        `SELECT embed_assets.path, embed_assets.workspace_id FROM embed_assets
         JOIN workspaces ON workspaces.id = embed_assets.workspace_id
         JOIN plans ON plans.code = workspaces.plan_code
         WHERE embed_assets.created_at_ms <=
           ?1 - ?2 * coalesce(json_extract(plans.limits, '$.output_retention_days'), ?3)
         ORDER BY embed_assets.created_at_ms LIMIT ?4`,
      )
      .bind(nowMs, DAY_MS, RETENTION_DAYS, rows)
      .all();
    return results.map((row) => ExpiredRow.parse(row));
  });
}
