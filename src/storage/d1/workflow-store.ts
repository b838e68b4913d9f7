import * as z from "zod";
import { type Database, databaseOf, type Databases } from "./databases.ts";
import { readDefinitionText } from "../r2/definition-text.ts";
import { foldCase } from "../../lib/fold-case.ts";
import { type OnceStatements, runOnce } from "./idempotency-store.ts";
import { StoredPinned, WORKFLOW_COLUMNS, WorkflowRow } from "./workflow-row.ts";
import { WorkflowTexts } from "./workflow-texts.ts";
import { type NamedFilter, readNamedPage } from "./read-page.ts";

const Count = z.object({ n: z.int() });
const WorkingRow = StoredPinned.extend(WorkflowRow.shape);

/** A working definition with its row, from one moment. */
export interface WorkingDefinition {
  readonly row: WorkflowRow;
  readonly text: string;
  /** Of its templates (`contracts/template-pins.ts`). */
  readonly templatePins: string | null;
}

export interface NewWorkflow {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly folderId: string | null;
  readonly contentHash: string;
  readonly definitionText: string;
  /** As `WorkingDefinition` has them. */
  readonly templatePins: string | null;
  readonly nowMs: number;
}

export interface MetadataChange {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly folderId?: string | null | undefined;
}

/** The state that a write expects. If the row differs, the write changes nothing and returns false. */
export interface Expected {
  readonly revision: number;
  readonly version: number;
}

const OURS = "id = ?1 AND workspace_id = ?2 AND deleted_at_ms IS NULL";
/** A change that the workspace object must receive. */
const POINTER_MOVES = "pointer_seq = pointer_seq + 1";

/** All SQL on the workflows of one workspace. Versions are written here and read by `WorkflowVersions`. */
export class WorkflowStore {
  readonly #db: Database;
  readonly #files: R2Bucket;
  readonly #workspaceId: string;
  readonly #texts: WorkflowTexts;

  constructor(bindings: Databases & { FILES: R2Bucket }, workspaceId: string) {
    this.#db = databaseOf(bindings, workspaceId);
    this.#files = bindings.FILES;
    this.#workspaceId = workspaceId;
    this.#texts = new WorkflowTexts(bindings, workspaceId);
  }

  /** Returns the workflow; `elsewhere` if it belongs to another workspace; undefined if there is none. */
  async find(id: string): Promise<WorkflowRow | "elsewhere" | undefined> {
    const row = await this.#one(`SELECT ${WORKFLOW_COLUMNS} FROM workflows WHERE ${OURS}`, id);
    if (row !== null) {
      return WorkflowRow.parse(row);
    }
    const other = await this.#db
      .prepare(
        "SELECT 1 FROM workflows WHERE id = ?1 AND workspace_id <> ?2 AND deleted_at_ms IS NULL",
      )
      .bind(id, this.#workspaceId)
      .first();
    return other === null ? undefined : "elsewhere";
  }

  /** Returns the row of a workflow, also of a deleted one: for cursors, and for notifying the workspace object. */
  async findEvenDeleted(id: string): Promise<WorkflowRow | undefined> {
    const row = await this.#one(
      `SELECT ${WORKFLOW_COLUMNS} FROM workflows WHERE id = ?1 AND workspace_id = ?2`,
      id,
    );
    return row === null ? undefined : WorkflowRow.parse(row);
  }

  /**
   * Returns the row and the working definition as one consistent state; undefined if the workflow was deleted
   * meanwhile.
   */
  async readWorking(id: string): Promise<WorkingDefinition | undefined> {
    // A large text may be replaced, and its object removed, between the two reads; the row has changed in that case.
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const found = await this.#one(
        `SELECT ${WORKFLOW_COLUMNS}, definition, definition_key, template_pins FROM workflows WHERE ${OURS}`,
        id,
      );
      if (found === null) {
        return undefined;
      }
      const { definition, definition_key, template_pins, ...row } = WorkingRow.parse(found);
      const text = await readDefinitionText(this.#files, { definition, definition_key });
      if (text !== undefined) {
        return { row, text, templatePins: template_pins };
      }
    }
    throw new Error(`The working definition of ${id} is named by its row but not stored.`);
  }

  /** Returns one page, newest first, and the number of all matches, from one moment. */
  async list(
    filter: NamedFilter<WorkflowRow["status"]>,
  ): Promise<{ rows: WorkflowRow[]; total: number }> {
    return await readNamedPage(
      this.#db,
      { table: "workflows", columns: WORKFLOW_COLUMNS, workspaceId: this.#workspaceId },
      filter,
      (row) => WorkflowRow.parse(row),
    );
  }

  /** Counts workflows of every status. */
  async count(): Promise<number> {
    const row = await this.#db
      .prepare(
        "SELECT count(*) AS n FROM workflows WHERE workspace_id = ?1 AND deleted_at_ms IS NULL",
      )
      .bind(this.#workspaceId)
      .first();
    return Count.parse(row).n;
  }

  /**
   * Returns false if the workspace already has `workflowsMax` workflows; null means no limit. Nothing is stored if it
   * throws.
   */
  async insert(
    workflow: NewWorkflow,
    workflowsMax: number | null,
    once?: OnceStatements,
  ): Promise<boolean> {
    const stored = await this.#texts.store(workflow.id, workflow.definitionText);
    const create = this.#db
      .prepare(
        `INSERT INTO workflows (id, workspace_id, name, description, tags, folder_id, status, definition, definition_key, content_hash, created_at_ms, updated_at_ms, name_folded, template_pins)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, 'draft', ?7, ?8, ?9, ?10, ?10, ?12, ?13
         WHERE ?11 IS NULL OR (SELECT count(*) FROM workflows WHERE workspace_id = ?2 AND deleted_at_ms IS NULL) < ?11`,
      )
      .bind(
        workflow.id,
        this.#workspaceId,
        workflow.name,
        workflow.description,
        JSON.stringify(workflow.tags),
        workflow.folderId,
        stored.text,
        stored.key,
        workflow.contentHash,
        workflow.nowMs,
        workflowsMax,
        foldCase(workflow.name),
        workflow.templatePins,
      );
    let changes = 0;
    try {
      ({ changes } = await runOnce(this.#db, create, workflow.id, once));
    } finally {
      if (changes === 0) {
        await this.#texts.dropUnused(workflow.id, stored.key);
      }
    }
    return changes > 0;
  }

  /** Replaces the working definition if it still has `revision` and the workflow is not archived. */
  async replaceWorking(
    id: string,
    change: {
      revision: number;
      text: string;
      contentHash: string;
      templatePins: string | null;
      nowMs: number;
    },
  ): Promise<boolean> {
    const before = await this.#texts.keyOf(id);
    const stored = await this.#texts.store(id, change.text);
    const result = await this.#db
      .prepare(
        `UPDATE workflows SET definition = ?3, definition_key = ?4, content_hash = ?5, revision = revision + 1, updated_at_ms = ?6, template_pins = ?8
         WHERE ${OURS} AND revision = ?7 AND status <> 'archived'`,
      )
      .bind(
        id,
        this.#workspaceId,
        stored.text,
        stored.key,
        change.contentHash,
        change.nowMs,
        change.revision,
        change.templatePins,
      )
      .run();
    await this.#texts.dropUnused(id, result.meta.changes === 0 ? stored.key : before);
    return result.meta.changes > 0;
  }

  /** Freezes the working definition with these pins as the next version and publishes it, in one transaction. */
  async insertVersion(
    id: string,
    expected: Expected,
    { templatePins, nowMs }: { readonly templatePins: string | null; readonly nowMs: number },
  ): Promise<boolean> {
    const asExpected = `${OURS} AND revision = ?3 AND version = ?4 AND status <> 'archived'`;
    const bound = [id, this.#workspaceId, expected.revision, expected.version, nowMs] as const;
    const [inserted] = await this.#db.batch([
      this.#db
        .prepare(
          `INSERT INTO workflow_versions (workflow_id, version, workspace_id, definition, definition_key, content_hash, created_at_ms, template_pins)
           SELECT id, version + 1, workspace_id, definition, definition_key, content_hash, ?5, ?6 FROM workflows WHERE ${asExpected}`,
        )
        .bind(...bound, templatePins),
      this.#db
        .prepare(
          `UPDATE workflows SET version = version + 1, status = 'published', updated_at_ms = ?5, ${POINTER_MOVES} WHERE ${asExpected}`,
        )
        .bind(...bound),
    ]);
    return (inserted?.meta.changes ?? 0) > 0;
  }

  /** Sets the status if the state that the decision was based on is unchanged. */
  async setStatus(
    id: string,
    from: Expected & { status: WorkflowRow["status"] },
    status: WorkflowRow["status"],
    nowMs: number,
  ): Promise<boolean> {
    const result = await this.#db
      .prepare(
        `UPDATE workflows SET status = ?3, updated_at_ms = ?4, ${POINTER_MOVES}
         WHERE ${OURS} AND status = ?5 AND revision = ?6 AND version = ?7`,
      )
      .bind(id, this.#workspaceId, status, nowMs, from.status, from.revision, from.version)
      .run();
    return result.meta.changes > 0;
  }

  /** Makes an older version's definition the working definition and the workflow a draft. */
  async restoreVersion(
    id: string,
    from: Expected,
    version: number,
    nowMs: number,
  ): Promise<boolean> {
    const before = await this.#texts.keyOf(id);
    const ofVersion = (column: string) =>
      `(SELECT ${column} FROM workflow_versions v WHERE v.workflow_id = ?1 AND v.workspace_id = ?2 AND v.version = ?3)`;
    const result = await this.#db
      .prepare(
        `UPDATE workflows SET status = 'draft', revision = revision + 1, updated_at_ms = ?4, ${POINTER_MOVES},
           definition = ${ofVersion("definition")}, definition_key = ${ofVersion("definition_key")}, content_hash = ${ofVersion("content_hash")},
           template_pins = ${ofVersion("template_pins")}
         WHERE ${OURS} AND status <> 'archived' AND revision = ?5 AND version = ?6`,
      )
      .bind(id, this.#workspaceId, version, nowMs, from.revision, from.version)
      .run();
    if (result.meta.changes > 0) {
      await this.#texts.dropUnused(id, before);
    }
    return result.meta.changes > 0;
  }

  /** Returns false if the workflow does not exist. */
  async updateMetadata(id: string, change: MetadataChange, nowMs: number): Promise<boolean> {
    const result = await this.#db
      .prepare(
        `UPDATE workflows SET name = ifnull(?3, name), description = ifnull(?4, description), tags = ifnull(?5, tags),
           folder_id = CASE WHEN ?6 THEN ?7 ELSE folder_id END, updated_at_ms = ?8,
           pointer_seq = pointer_seq + (?3 IS NOT NULL AND ?3 <> name), name_folded = ifnull(?9, name_folded)
         WHERE ${OURS}`,
      )
      .bind(
        id,
        this.#workspaceId,
        change.name ?? null,
        change.description ?? null,
        change.tags === undefined ? null : JSON.stringify(change.tags),
        change.folderId === undefined ? 0 : 1,
        change.folderId ?? null,
        nowMs,
        change.name === undefined ? null : foldCase(change.name),
      )
      .run();
    return result.meta.changes > 0;
  }

  /** Records that the workflow is to be deleted (null: no longer). Returns false if it does not exist. */
  async requestDelete(id: string, requestedAtMs: number | null): Promise<boolean> {
    const result = await this.#db
      .prepare(`UPDATE workflows SET delete_requested_at_ms = ?3, ${POINTER_MOVES} WHERE ${OURS}`)
      .bind(id, this.#workspaceId, requestedAtMs)
      .run();
    return result.meta.changes > 0;
  }

  /** Empties the workflow and its versions; the id stays for cursors. Returns false if it does not exist any more. */
  async remove(id: string, nowMs: number): Promise<boolean> {
    const [removed] = await this.#db.batch([
      this.#db
        .prepare(
          `UPDATE workflows SET deleted_at_ms = ?3, updated_at_ms = ?3, delete_requested_at_ms = NULL, pointer_synced_seq = pointer_seq,
             name = '', name_folded = '', description = '', tags = '[]', folder_id = NULL,
             status = 'archived', definition = '', definition_key = NULL, content_hash = '', template_pins = NULL WHERE ${OURS}`,
        )
        .bind(id, this.#workspaceId, nowMs),
      this.#db
        .prepare("DELETE FROM workflow_versions WHERE workflow_id = ?1 AND workspace_id = ?2")
        .bind(id, this.#workspaceId),
    ]);
    return (removed?.meta.changes ?? 0) > 0;
  }

  /**
   * Records the pointer that the workspace object received. Returns true if it is up to date: it received everything up
   * to `seq` and nothing newer was committed.
   */
  async markPointerSynced(id: string, seq: number): Promise<boolean> {
    const result = await this.#db
      .prepare(
        "UPDATE workflows SET pointer_synced_seq = ?3 WHERE id = ?1 AND workspace_id = ?2 AND pointer_seq = ?3",
      )
      .bind(id, this.#workspaceId, seq)
      .run();
    return result.meta.changes > 0;
  }

  async #one(sql: string, id: string): Promise<Record<string, unknown> | null> {
    return await this.#db.prepare(sql).bind(id, this.#workspaceId).first();
  }
}
