import * as z from "zod";
import { type Database, databaseOf, type Databases } from "./databases.ts";
import { DesignTemplate, TemplateStatus } from "../../contracts/templates/design-template.ts";
import type {
  PublishedVersion,
  TemplateRecord,
} from "../../contracts/templates/template-object-api.ts";
import { draftEtag } from "../../lib/http/draft-etag.ts";
import { foldCase } from "../../lib/fold-case.ts";
import { type OnceStatements, runOnce } from "./idempotency-store.ts";
import { type NamedFilter, readNamedPage, readWithTotal } from "./read-page.ts";

const Json = z.string().transform((text): unknown => JSON.parse(text));

/** A row of `design_templates`. */
const TemplateRow = z.object({
  seq: z.int(),
  id: z.string(),
  workspace_id: z.string(),
  name: z.string(),
  description: z.string(),
  tags: Json.pipe(z.array(z.string())),
  status: TemplateStatus,
  latest_revision: z.int(),
  latest_version_id: z.string().nullable(),
  page_count: z.int(),
  draft_etag: z.string(),
  has_unpublished_changes: z.int(),
  source: Json.pipe(DesignTemplate.shape.source),
  created_at_ms: z.int(),
  updated_at_ms: z.int(),
  deleted_at_ms: z.int().nullable(),
});
export type TemplateRow = z.infer<typeof TemplateRow>;

const FontPin = z.object({
  name: z.string(),
  family_guid: z.string(),
  version_guid: z.string(),
  fallback_guid: z.string().nullable(),
});

/** A row of `design_template_versions`. */
const VersionRow = z.object({
  template_id: z.string(),
  revision: z.int(),
  id: z.string(),
  content_hash: z.string(),
  contract_hash: z.string(),
  page_count: z.int(),
  folder: z.string(),
  published_at_ms: z.int(),
  font_pins: Json.pipe(z.array(FontPin)),
});
export type TemplateVersionRow = z.infer<typeof VersionRow>;

const COLUMNS = Object.keys(TemplateRow.shape).join(", ");
const VERSION_COLUMNS = Object.keys(VersionRow.shape).join(", ");
const OURS = "id = ?1 AND workspace_id = ?2";

/** All SQL on the rows of one workspace's design templates and their revisions. */
export class TemplateRows {
  readonly #db: Database;
  readonly #workspaceId: string;

  constructor(bindings: Databases, workspaceId: string) {
    this.#db = databaseOf(bindings, workspaceId);
    this.#workspaceId = workspaceId;
  }

  /** Returns the template; `elsewhere` if it belongs to another workspace; undefined if there is none. */
  async find(id: string): Promise<TemplateRow | "elsewhere" | undefined> {
    const row = await this.#db
      .prepare(`SELECT ${COLUMNS} FROM design_templates WHERE id = ?1 AND deleted_at_ms IS NULL`)
      .bind(id)
      .first();
    if (row === null) {
      return undefined;
    }
    const found = TemplateRow.parse(row);
    return found.workspace_id === this.#workspaceId ? found : "elsewhere";
  }

  /** Several templates of the workspace, those that exist, in no order. */
  async findAll(ids: readonly string[]): Promise<TemplateRow[]> {
    const { results } = await this.#db
      .prepare(
        `SELECT ${COLUMNS} FROM design_templates WHERE workspace_id = ?1 AND deleted_at_ms IS NULL
         AND id IN (SELECT value FROM json_each(?2))`,
      )
      .bind(this.#workspaceId, JSON.stringify(ids))
      .all();
    return results.map((row) => TemplateRow.parse(row));
  }

  /** Returns the position of a template in lists, also of a deleted one. */
  async seqOf(id: string): Promise<number | undefined> {
    const row = await this.#db
      .prepare(`SELECT seq FROM design_templates WHERE ${OURS}`)
      .bind(id, this.#workspaceId)
      .first<{ seq: number }>();
    return row?.seq;
  }

  /** Whether the template has a row, even of a deleted one. */
  async exists(id: string): Promise<boolean> {
    return (await this.seqOf(id)) !== undefined;
  }

  /** Returns one page, newest first, and the number of all matches, from one moment. */
  async list(filter: NamedFilter<TemplateStatus>): Promise<{ rows: TemplateRow[]; total: number }> {
    return await readNamedPage(
      this.#db,
      { table: "design_templates", columns: COLUMNS, workspaceId: this.#workspaceId },
      filter,
      (row) => TemplateRow.parse(row),
    );
  }

  /** Makes a template visible whose object was created before. */
  async insert(record: TemplateRecord, once: OnceStatements | undefined): Promise<void> {
    await runOnce(this.#db, this.insertStatement(record), record.id, once);
  }

  /** The statement of `insert`; with `where`, a condition over ?17 and on, it may insert nothing. */
  insertStatement(
    record: TemplateRecord,
    where = "TRUE",
    ...bound: readonly (string | number)[]
  ): D1PreparedStatement {
    return this.#db
      .prepare(
        `INSERT INTO design_templates (id, workspace_id, name, name_folded, description, tags, status, latest_revision,
           latest_version_id, page_count, draft_etag, has_unpublished_changes, source, created_at_ms, updated_at_ms, object_revision)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16 WHERE ${where}`,
      )
      .bind(...this.#columns(record), 1, ...bound);
  }

  /** Writes the state that the object has at `objectRevision`, unless a later one was written. Safe to repeat. */
  async update(
    record: TemplateRecord,
    state: {
      readonly objectRevision: number;
      readonly deletedAtMs: number;
      readonly versions: readonly PublishedVersion[];
    },
  ): Promise<void> {
    const versions = state.versions.map((version) =>
      this.#db
        .prepare(
          `INSERT INTO design_template_versions (${VERSION_COLUMNS}, workspace_id)
           VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) ON CONFLICT DO NOTHING`,
        )
        .bind(
          record.id,
          version.revision,
          version.id,
          version.content_hash,
          version.contract_hash,
          version.page_count,
          version.folder,
          version.published_at_ms,
          JSON.stringify(version.font_pins ?? []),
          this.#workspaceId,
        ),
    );
    const isDeleted = state.deletedAtMs > 0;
    const shown = isDeleted ? { ...record, name: "", description: "", tags: [] } : record;
    await this.#db.batch([
      ...versions,
      this.#db
        .prepare(
          `UPDATE design_templates SET name = ?3, name_folded = ?4, description = ?5, tags = ?6, status = ?7,
             latest_revision = ?8, latest_version_id = ?9, page_count = ?10, draft_etag = ?11,
             has_unpublished_changes = ?12, source = ?13, created_at_ms = ?14, updated_at_ms = ?15,
             object_revision = ?16, deleted_at_ms = ?17
           WHERE ${OURS} AND object_revision < ?16`,
        )
        .bind(...this.#columns(shown), state.objectRevision, isDeleted ? state.deletedAtMs : null),
    ]);
  }

  /** Returns one revision of a template; undefined if there is none. */
  async version(templateId: string, revision: number): Promise<TemplateVersionRow | undefined> {
    const row = await this.#db
      .prepare(
        `SELECT ${VERSION_COLUMNS} FROM design_template_versions
         WHERE template_id = ?1 AND workspace_id = ?2 AND revision = ?3`,
      )
      .bind(templateId, this.#workspaceId, revision)
      .first();
    return row === null ? undefined : VersionRow.parse(row);
  }

  /** Newest first, below `belowRevision`. */
  async versions(
    templateId: string,
    belowRevision: number,
    limit: number,
  ): Promise<{ rows: TemplateVersionRow[]; total: number }> {
    return await readWithTotal(
      this.#db,
      {
        page: this.#db
          .prepare(
            `SELECT ${VERSION_COLUMNS} FROM design_template_versions
           WHERE template_id = ?1 AND workspace_id = ?2 AND revision < ?3 ORDER BY revision DESC LIMIT ?4`,
          )
          .bind(templateId, this.#workspaceId, belowRevision, limit),
        count: this.#db
          .prepare(
            "SELECT count(*) AS n FROM design_template_versions WHERE template_id = ?1 AND workspace_id = ?2",
          )
          .bind(templateId, this.#workspaceId),
      },
      (row) => VersionRow.parse(row),
    );
  }

  /** Values of ?1 to ?15 in both statements. */
  #columns(record: TemplateRecord): (string | number | null)[] {
    return [
      record.id,
      this.#workspaceId,
      record.name,
      foldCase(record.name),
      record.description,
      JSON.stringify(record.tags),
      record.status,
      record.latest?.revision ?? 0,
      record.latest?.id ?? null,
      record.page_count,
      draftEtag(record),
      record.latest?.content_hash === record.content_hash ? 0 : 1,
      JSON.stringify(record.source),
      record.created_at_ms,
      record.updated_at_ms,
    ];
  }
}
