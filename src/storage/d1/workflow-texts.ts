import { type Database, databaseOf, type Databases } from "./databases.ts";
import {
  definitionPrefix,
  storeDefinitionText,
  type DefinitionText,
} from "../r2/definition-text.ts";
import { StoredDefinition } from "./workflow-row.ts";

/** The definitions of one workspace's workflows that are too long for a row, in R2; rows refer to them by key. */
export class WorkflowTexts {
  readonly #db: Database;
  readonly #files: R2Bucket;
  readonly #workspaceId: string;

  constructor(bindings: Databases & { FILES: R2Bucket }, workspaceId: string) {
    this.#db = databaseOf(bindings, workspaceId);
    this.#files = bindings.FILES;
    this.#workspaceId = workspaceId;
  }

  /** Stores a text that no row refers to yet. Returns the columns of its row. */
  async store(id: string, text: string): Promise<DefinitionText> {
    return await storeDefinitionText(this.#files, this.#workspaceId, id, text);
  }

  /** The key of the working definition; null if it is in the row, or the workflow does not exist. */
  async keyOf(id: string): Promise<string | null> {
    const row = await this.#db
      .prepare(
        "SELECT definition, definition_key FROM workflows WHERE id = ?1 AND workspace_id = ?2 AND deleted_at_ms IS NULL",
      )
      .bind(id, this.#workspaceId)
      .first();
    return row === null ? null : StoredDefinition.parse(row).definition_key;
  }

  /** Deletes a text that no row refers to any more. A crash before this leaves an orphan, never a missing text. */
  async dropUnused(id: string, key: string | null): Promise<void> {
    if (key === null) {
      return;
    }
    const used = await this.#db
      .prepare(
        `SELECT 1 FROM workflows WHERE id = ?1 AND workspace_id = ?2 AND definition_key = ?3
         UNION ALL SELECT 1 FROM workflow_versions WHERE workflow_id = ?1 AND workspace_id = ?2 AND definition_key = ?3`,
      )
      .bind(id, this.#workspaceId, key)
      .first();
    if (used === null) {
      await this.#files.delete(key);
    }
  }

  /** Deletes all texts of a deleted workflow. */
  async removeAll(id: string): Promise<void> {
    const prefix = definitionPrefix(this.#workspaceId, id);
    for (;;) {
      const { objects, truncated } = await this.#files.list({ prefix });
      if (objects.length > 0) {
        await this.#files.delete(objects.map((object) => object.key));
      }
      if (!truncated) {
        return;
      }
    }
  }
}
