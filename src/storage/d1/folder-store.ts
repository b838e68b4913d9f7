import * as z from "zod";
import { type Database, databaseOf, type Databases } from "./databases.ts";
import { foldCase } from "../../lib/fold-case.ts";
import { type OnceStatements, runOnce } from "./idempotency-store.ts";
import { WORKFLOW_COLUMNS, WorkflowRow } from "./workflow-row.ts";
import { readPage } from "./read-page.ts";

const FolderRow = z.object({
  id: z.string(),
  parent_id: z.string().nullable(),
  name: z.string(),
  created_at_ms: z.int(),
});
export type FolderRow = z.infer<typeof FolderRow>;
const CountOfFolder = z.object({ folder_id: z.string().nullable(), n: z.int() });

export type InsertFolderOutcome = "inserted" | "name_taken" | "too_many";

/** All SQL on the folders of one workspace, and on its workflows as members of folders. */
export class FolderStore {
  readonly #db: Database;
  readonly #workspaceId: string;

  constructor(bindings: Databases, workspaceId: string) {
    this.#db = databaseOf(bindings, workspaceId);
    this.#workspaceId = workspaceId;
  }

  /** Returns every folder in order of creation, and the number of workflows in each and at the top level (key null). */
  async listAll(): Promise<{ folders: FolderRow[]; workflows: Map<string | null, number> }> {
    const [folders, counts] = await this.#db.batch([
      this.#db
        .prepare(
          "SELECT id, parent_id, name, created_at_ms FROM workflow_folders WHERE workspace_id = ?1 ORDER BY created_at_ms, id",
        )
        .bind(this.#workspaceId),
      this.#db
        .prepare(
          "SELECT folder_id, count(*) AS n FROM workflows WHERE workspace_id = ?1 AND deleted_at_ms IS NULL GROUP BY folder_id",
        )
        .bind(this.#workspaceId),
    ]);
    return {
      folders: (folders?.results ?? []).map((row) => FolderRow.parse(row)),
      workflows: new Map(
        (counts?.results ?? []).map((row) => {
          const { folder_id, n } = CountOfFolder.parse(row);
          return [folder_id, n];
        }),
      ),
    };
  }

  /** Returns `elsewhere` if the folder belongs to another workspace, undefined if there is none. */
  async find(id: string): Promise<FolderRow | "elsewhere" | undefined> {
    const row = await this.#db
      .prepare(
        "SELECT id, parent_id, name, created_at_ms FROM workflow_folders WHERE id = ?1 AND workspace_id = ?2",
      )
      .bind(id, this.#workspaceId)
      .first();
    if (row !== null) {
      return FolderRow.parse(row);
    }
    const other = await this.#db
      .prepare("SELECT 1 FROM workflow_folders WHERE id = ?1 AND workspace_id <> ?2")
      .bind(id, this.#workspaceId)
      .first();
    return other === null ? undefined : "elsewhere";
  }

  /** One statement checks and writes, so only one of two concurrent calls succeeds. */
  async insert(
    folder: FolderRow,
    foldersMax: number,
    once?: OnceStatements,
  ): Promise<InsertFolderOutcome> {
    const create = this.#db
      .prepare(
        `INSERT INTO workflow_folders (id, workspace_id, parent_id, name, created_at_ms)
         SELECT ?1, ?2, ?3, ?4, ?5
         WHERE (SELECT count(*) FROM workflow_folders WHERE workspace_id = ?2) < ?6
         ON CONFLICT DO NOTHING`,
      )
      .bind(
        folder.id,
        this.#workspaceId,
        folder.parent_id,
        folder.name,
        folder.created_at_ms,
        foldersMax,
      );
    if ((await runOnce(this.#db, create, folder.id, once)).changes > 0) {
      return "inserted";
    }
    const taken = await this.#db
      .prepare(
        "SELECT 1 FROM workflow_folders WHERE workspace_id = ?1 AND ifnull(parent_id, '') = ifnull(?2, '') AND name = ?3",
      )
      .bind(this.#workspaceId, folder.parent_id, folder.name)
      .first();
    return taken === null ? "too_many" : "name_taken";
  }

  /** Returns the workflows directly in a folder (null for the top level) whose name contains `search`, newest first. */
  async listWorkflows(
    folderId: string | null,
    search: string | null,
    belowSeq: number | null,
    limit: number,
  ): Promise<{ rows: WorkflowRow[]; total: number }> {
    const folded = search === null ? null : foldCase(search);
    const where =
      "workspace_id = ?1 AND deleted_at_ms IS NULL AND folder_id IS ?2 AND (?3 IS NULL OR instr(name_folded, ?3) > 0)";
    return await readPage(
      this.#db,
      {
        table: "workflows",
        columns: WORKFLOW_COLUMNS,
        where,
        bound: [this.#workspaceId, folderId, folded],
        belowSeq,
        limit,
      },
      (row) => WorkflowRow.parse(row),
    );
  }

  /** Returns the ids that are not workflows of this workspace, and whether any belongs to another workspace. */
  async strangers(ids: readonly string[]): Promise<{ id: string; isElsewhere: boolean }[]> {
    const result = await this.#db
      .prepare(
        `SELECT j.value AS id, EXISTS (SELECT 1 FROM workflows o WHERE o.id = j.value AND o.workspace_id <> ?2 AND o.deleted_at_ms IS NULL) AS elsewhere
         FROM json_each(?1) j
         WHERE NOT EXISTS (SELECT 1 FROM workflows w WHERE w.id = j.value AND w.workspace_id = ?2 AND w.deleted_at_ms IS NULL)`,
      )
      .bind(JSON.stringify(ids), this.#workspaceId)
      .all();
    return result.results.map((row) => {
      const { id, elsewhere } = z.object({ id: z.string(), elsewhere: z.int() }).parse(row);
      return { id, isElsewhere: elsewhere === 1 };
    });
  }

  /** Moves all of these distinct ids, or none: returns false if one does not exist. One statement. */
  async moveWorkflows(
    ids: readonly string[],
    folderId: string | null,
    nowMs: number,
  ): Promise<boolean> {
    const ours =
      "workspace_id = ?2 AND deleted_at_ms IS NULL AND id IN (SELECT value FROM json_each(?1))";
    const result = await this.#db
      .prepare(
        `UPDATE workflows SET folder_id = ?3, updated_at_ms = ?4 WHERE ${ours}
         AND (SELECT count(*) FROM workflows WHERE ${ours}) = ?5`,
      )
      .bind(JSON.stringify(ids), this.#workspaceId, folderId, nowMs, ids.length)
      .run();
    return result.meta.changes > 0;
  }
}
