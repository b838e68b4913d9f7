import * as z from "zod";
import { type Database, databaseOf, type Databases } from "./databases.ts";
import { readWithTotal } from "./read-page.ts";
import { definitionPrefix, readDefinitionText } from "../r2/definition-text.ts";
import { StoredPinned } from "./workflow-row.ts";

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
  readonly #db: Database;
  readonly #files: R2Bucket;
  readonly #workspaceId: string;

  constructor(bindings: Databases & { FILES: R2Bucket }, workspaceId: string) {
    this.#db = databaseOf(bindings, workspaceId);
    this.#files = bindings.FILES;
    this.#workspaceId = workspaceId;
  }

  /** Returns a version; undefined if it or its text does not exist. */
  async read(id: string, version: number): Promise<StoredVersion | undefined> {
    const row = await this.#row(id, version);
    return row === undefined ? undefined : await this.#stored(row);
  }

  /**
   * As `read`, but from the copy in R2 that all isolates share, since a version never changes. D1 is asked if
   * nobody has copied it, and `waitUntil` then copies it. The caller has checked that the workflow exists.
   */
  async readShared(
    id: string,
    version: number,
    waitUntil: (copied: Promise<void>) => void,
  ): Promise<StoredVersion | undefined> {
    const copy = await this.#files.get(this.#copyKey(id, version));
    if (copy !== null) {
      return await this.#stored(StoredPinned.parse(await copy.json()));
    }
    const row = await this.#row(id, version);
    if (row === undefined) {
      return undefined;
    }
    waitUntil(this.#copy(id, version, row));
    return await this.#stored(row);
  }

  async #row(id: string, version: number): Promise<StoredPinned | undefined> {
    const row = await this.#db
      .prepare(
        "SELECT definition, definition_key, template_pins FROM workflow_versions WHERE workflow_id = ?1 AND workspace_id = ?2 AND version = ?3",
      )
      .bind(id, this.#workspaceId, version)
      .first();
    return row === null ? undefined : StoredPinned.parse(row);
  }

  async #stored({
    template_pins: templatePins,
    ...stored
  }: StoredPinned): Promise<StoredVersion | undefined> {
    const text = await readDefinitionText(this.#files, stored);
    return text === undefined ? undefined : { text, templatePins };
  }

  async #copy(id: string, version: number, row: StoredPinned): Promise<void> {
    const key = this.#copyKey(id, version);
    await this.#files.put(key, JSON.stringify(row), {
      httpMetadata: { contentType: "application/json" },
    });
    // A delete of the workflow removes its row first, then what it finds in R2: one of the two sees the other.
    if ((await this.contentHash(id, version)) === undefined) {
      await this.#files.delete(key);
    }
  }

  #copyKey(id: string, version: number): string {
    return `${definitionPrefix(this.#workspaceId, id)}version-${String(version)}.json`;
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
    return await readWithTotal(
      this.#db,
      {
        page: this.#db
          .prepare(
            "SELECT version, content_hash, created_at_ms FROM workflow_versions WHERE workflow_id = ?1 AND workspace_id = ?2 AND version < ?3 ORDER BY version DESC LIMIT ?4",
          )
          .bind(id, this.#workspaceId, belowVersion, limit),
        count: this.#db
          .prepare(
            "SELECT count(*) AS n FROM workflow_versions WHERE workflow_id = ?1 AND workspace_id = ?2",
          )
          .bind(id, this.#workspaceId),
      },
      (row) => VersionRow.parse(row),
    );
  }
}
