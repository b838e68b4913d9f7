import * as z from "zod";
import { readDefinitionText } from "../r2/definition-text.ts";
import { StoredDefinition } from "./workflow-row.ts";

const Count = z.object({ n: z.int() });
const VersionRow = z.object({
  version: z.int(),
  content_hash: z.string(),
  created_at_ms: z.int(),
});
type VersionRow = z.infer<typeof VersionRow>;

/** Reads the published versions of one workspace's workflows; `WorkflowStore` writes them. */
export class WorkflowVersions {
  readonly #db: D1Database;
  readonly #files: R2Bucket;
  readonly #workspaceId: string;

  constructor(bindings: { DB: D1Database; FILES: R2Bucket }, workspaceId: string) {
    this.#db = bindings.DB;
    this.#files = bindings.FILES;
    this.#workspaceId = workspaceId;
  }

  /** Returns the text of a version; undefined if the version or its text does not exist. */
  async read(id: string, version: number): Promise<string | undefined> {
    const row = await this.#db
      .prepare(
        "SELECT definition, definition_key FROM workflow_versions WHERE workflow_id = ?1 AND workspace_id = ?2 AND version = ?3",
      )
      .bind(id, this.#workspaceId, version)
      .first();
    return row === null
      ? undefined
      : await readDefinitionText(this.#files, StoredDefinition.parse(row));
  }

  async contentHash(id: string, version: number): Promise<string | undefined> {
    const row = await this.#db
      .prepare(
        "SELECT version, content_hash, created_at_ms FROM workflow_versions WHERE workflow_id = ?1 AND workspace_id = ?2 AND version = ?3",
      )
      .bind(id, this.#workspaceId, version)
      .first();
    return row === null ? undefined : VersionRow.parse(row).content_hash;
  }

  /** Newest first, below `belowVersion`. */
  async list(
    id: string,
    belowVersion: number,
    limit: number,
  ): Promise<{ rows: VersionRow[]; total: number }> {
    const [page, count] = await this.#db.batch([
      this.#db
        .prepare(
          "SELECT version, content_hash, created_at_ms FROM workflow_versions WHERE workflow_id = ?1 AND workspace_id = ?2 AND version < ?3 ORDER BY version DESC LIMIT ?4",
        )
        .bind(id, this.#workspaceId, belowVersion, limit),
      this.#db
        .prepare(
          "SELECT count(*) AS n FROM workflow_versions WHERE workflow_id = ?1 AND workspace_id = ?2",
        )
        .bind(id, this.#workspaceId),
    ]);
    return {
      rows: (page?.results ?? []).map((row) => VersionRow.parse(row)),
      total: Count.parse(count?.results[0]).n,
    };
  }
}
