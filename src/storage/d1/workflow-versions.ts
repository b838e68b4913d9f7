import * as z from "zod";
import { readDefinitionText } from "../r2/definition-text.ts";
import { StoredPinned } from "./workflow-row.ts";

const Count = z.object({ n: z.int() });

/** A version's text, and the pins of its templates (`contracts/template-pins.ts`). */
export interface StoredVersion {
  readonly text: string;
  readonly templatePins: string | null;
}

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

  /** Returns a version; undefined if it or its text does not exist. */
  async read(id: string, version: number): Promise<StoredVersion | undefined> {
    const row = await this.#db
      .prepare(
        "SELECT definition, definition_key, template_pins FROM workflow_versions WHERE workflow_id = ?1 AND workspace_id = ?2 AND version = ?3",
      )
      .bind(id, this.#workspaceId, version)
      .first();
    if (row === null) {
      return undefined;
    }
    const { template_pins: templatePins, ...stored } = StoredPinned.parse(row);
    const text = await readDefinitionText(this.#files, stored);
    return text === undefined ? undefined : { text, templatePins };
  }

  /** Whether a version has pinned this revision of a template. */
  async hasPinned(id: string, templateId: string, revision: number): Promise<boolean> {
    const row = await this.#db
      .prepare(
        `SELECT 1 FROM workflow_versions v, json_each(v.template_pins, '$.pins') pin
         WHERE v.workflow_id = ?1 AND v.workspace_id = ?2
           AND json_extract(pin.value, '$.template_id') = ?3 AND json_extract(pin.value, '$.revision') = ?4 LIMIT 1`,
      )
      .bind(id, this.#workspaceId, templateId, revision)
      .first();
    return row !== null;
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
