import * as z from "zod";
import {
  atHome,
  type Database,
  databaseOf,
  type Databases,
  findOnAny,
  type Home,
  homeOfWorkspace,
  organizationOf,
} from "./databases.ts";
import type { TemplateRecord } from "../../contracts/templates/template-object-api.ts";
import { type OnceStatements, runOnce } from "./idempotency-store.ts";
import { AssetStore } from "./asset-store.ts";
import { TemplateRows } from "./template-rows.ts";
import { readPage } from "./read-page.ts";

const LinkRow = z.object({
  seq: z.int(),
  id: z.string(),
  template_id: z.string(),
  workspace_id: z.string(),
  revision: z.int(),
  require_sign_in: z.int(),
  max_imports: z.int().nullable(),
  import_count: z.int(),
  expires_at_ms: z.int().nullable(),
  revoked_at_ms: z.int().nullable(),
  created_at_ms: z.int(),
});
export type ShareLinkRow = z.infer<typeof LinkRow>;

const OpenedRow = LinkRow.extend({
  name: z.string(),
  description: z.string(),
  is_open: z.int(),
});
/** A link as its token opens it, with the template's current name. */
export type OpenedShareLink = z.infer<typeof OpenedRow>;

const COLUMNS = Object.keys(LinkRow.shape);
const TABLE = "design_template_share_links";

/** SQL condition: the link `l` of the template `t` can be used at the time `nowMs`, an SQL expression. */
function isOpen(nowMs: string): string {
  return `l.revoked_at_ms IS NULL AND (l.expires_at_ms IS NULL OR l.expires_at_ms > ${nowMs})
    AND (l.max_imports IS NULL OR l.import_count < l.max_imports)
    AND t.status <> 'archived' AND t.deleted_at_ms IS NULL`;
}

/** What this database is to the organization of the link `l`, if that moves. */
const MOVE_STATE = `SELECT m.state FROM workspaces w JOIN organization_moves m ON m.organization_id = w.organization_id
  WHERE w.id = l.workspace_id`;

/** SQL up to the condition: links at the time ?2, each with what this database is to its organization, if that moves. */
const OPENED = `SELECT ${COLUMNS.map((column) => `l.${column}`).join(", ")}, t.name, t.description,
    ${isOpen("?2")} AS is_open, (${MOVE_STATE}) AS move
  FROM ${TABLE} l JOIN design_templates t ON t.id = l.template_id`;

/** All SQL on the share links of one workspace's design templates. */
export class ShareLinkStore {
  readonly #db: Database;
  readonly #bindings: Databases;
  readonly #workspaceId: string;

  constructor(bindings: Databases, workspaceId: string) {
    this.#bindings = bindings;
    this.#db = databaseOf(bindings, workspaceId);
    this.#workspaceId = workspaceId;
  }

  /** `tokenHash` is a hex digest: the token itself is stored nowhere. */
  async insert(
    link: Pick<
      ShareLinkRow,
      "id" | "template_id" | "revision" | "max_imports" | "expires_at_ms" | "created_at_ms"
    > & { readonly require_sign_in: boolean; readonly is_entered: boolean },
    tokenHash: string,
    once: OnceStatements | undefined,
  ): Promise<void> {
    const insert = this.#db
      .prepare(
        `INSERT INTO ${TABLE} (workspace_id, id, template_id, revision, token_hash, require_sign_in, max_imports,
           expires_at_ms, created_at_ms, is_entered) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)`,
      )
      .bind(
        this.#workspaceId,
        link.id,
        link.template_id,
        link.revision,
        tokenHash,
        link.require_sign_in ? 1 : 0,
        link.max_imports,
        link.expires_at_ms,
        link.created_at_ms,
        link.is_entered ? 1 : 0,
      );
    await runOnce(this.#db, insert, link.id, once);
  }

  /** Returns the link of this workspace with this token; undefined if there is none. */
  async findByToken(tokenHash: string, nowMs: number): Promise<OpenedShareLink | undefined> {
    const row = await this.#db
      .prepare(`${OPENED} WHERE l.token_hash = ?1 AND l.workspace_id = ?3`)
      .bind(tokenHash, nowMs, this.#workspaceId)
      .first();
    return row === null ? undefined : OpenedRow.parse(row);
  }

  /** Newest first, below `belowSeq`. */
  async list(
    templateId: string,
    belowSeq: number | null,
    limit: number,
  ): Promise<{ rows: ShareLinkRow[]; total: number }> {
    const where = "workspace_id = ?1 AND template_id = ?2";
    return await readPage(
      this.#db,
      {
        table: TABLE,
        columns: COLUMNS.join(", "),
        where,
        bound: [this.#workspaceId, templateId],
        belowSeq,
        limit,
      },
      (row) => LinkRow.parse(row),
    );
  }

  /** Returns undefined if the template has no such link. */
  async find(templateId: string, id: string): Promise<ShareLinkRow | undefined> {
    const row = await this.#db
      .prepare(
        `SELECT ${COLUMNS.join(", ")} FROM ${TABLE} WHERE workspace_id = ?1 AND template_id = ?2 AND id = ?3`,
      )
      .bind(this.#workspaceId, templateId, id)
      .first();
    return row === null ? undefined : LinkRow.parse(row);
  }

  /** Returns the position of a link in lists; undefined if the template has no such link. */
  async seqOf(templateId: string, id: string): Promise<number | undefined> {
    const row = await this.#db
      .prepare(`SELECT seq FROM ${TABLE} WHERE workspace_id = ?1 AND template_id = ?2 AND id = ?3`)
      .bind(this.#workspaceId, templateId, id)
      .first<{ seq: number }>();
    return row?.seq;
  }

  /** Revokes a link, once: a repeat keeps the first time. Returns false if the template has no such link. */
  async revoke(templateId: string, id: string, nowMs: number): Promise<boolean> {
    const { meta } = await this.#db
      .prepare(
        `UPDATE ${TABLE} SET revoked_at_ms = coalesce(revoked_at_ms, ?4)
         WHERE workspace_id = ?1 AND template_id = ?2 AND id = ?3`,
      )
      .bind(this.#workspaceId, templateId, id, nowMs)
      .run();
    return meta.changes > 0;
  }

  /**
   * Makes a template of this workspace visible that was imported through a link of any workspace, and the copies of
   * pictures that it names, and counts the import, in one transaction: imports at the same time never exceed the link's
   * number. Returns false if the link is closed. The import of another shard's template is counted before: a crash in
   * between leaves it counted.
   */
  async insertImported(
    imported: { readonly record: TemplateRecord; readonly pictures: readonly string[] },
    link: Pick<ShareLinkRow, "id" | "workspace_id">,
    nowMs: number,
    once: OnceStatements | undefined,
  ): Promise<boolean> {
    const organizationId = await organizationOf(this.#bindings, link.workspace_id);
    return organizationId === undefined
      ? false
      : await atHome(this.#bindings, organizationId, (home) =>
          this.#import(imported, { link, home }, nowMs, once),
        );
  }

  async #import(
    { record, pictures }: { readonly record: TemplateRecord; readonly pictures: readonly string[] },
    {
      link,
      home,
    }: { readonly link: Pick<ShareLinkRow, "id" | "workspace_id">; readonly home: Home },
    nowMs: number,
    once: OnceStatements | undefined,
  ): Promise<boolean> {
    const own = await homeOfWorkspace(this.#bindings, this.#workspaceId);
    const rows = new TemplateRows(this.#bindings, this.#workspaceId);
    const usable = (id: string, now: string) =>
      `EXISTS (SELECT 1 FROM ${TABLE} l JOIN design_templates t ON t.id = l.template_id WHERE l.id = ${id} AND ${isOpen(now)})`;
    if (home.shard === own.shard) {
      const insert = rows.insertStatement(record, usable("?17", "?18"), link.id, nowMs);
      return await this.#insert({ record, pictures, insert }, link.id, once);
    }
    const owners = databaseOf(this.#bindings, link.workspace_id);
    const { meta } = await owners
      .prepare(
        `UPDATE ${TABLE} SET import_count = import_count + 1 WHERE id = ?1 AND ${usable("?1", "?2")}`,
      )
      .bind(link.id, nowMs)
      .run();
    if (meta.changes === 0) {
      return false;
    }
    try {
      return await this.#insert(
        { record, pictures, insert: rows.insertStatement(record) },
        link.id,
        once,
      );
    } catch (error) {
      if (!(await rows.exists(record.id))) {
        await owners
          .prepare(`UPDATE ${TABLE} SET import_count = import_count - 1 WHERE id = ?1`)
          .bind(link.id)
          .run();
      }
      throw error;
    }
  }

  /** The link is counted if it is in this database. */
  async #insert(
    {
      record,
      pictures,
      insert,
    }: {
      readonly record: TemplateRecord;
      readonly pictures: readonly string[];
      readonly insert: D1PreparedStatement;
    },
    linkId: string,
    once: OnceStatements | undefined,
  ): Promise<boolean> {
    const results = await this.#db.batch([
      ...(once === undefined ? [] : [once.guard]),
      insert,
      ...(once === undefined ? [] : [once.record(record.id)]),
      this.#db
        .prepare(
          `UPDATE ${TABLE} SET import_count = import_count + 1
           WHERE id = ?1 AND EXISTS (SELECT 1 FROM design_templates WHERE id = ?2)`,
        )
        .bind(linkId, record.id),
      new AssetStore(this.#bindings, this.#workspaceId).reveal(
        pictures,
        "EXISTS (SELECT 1 FROM design_templates WHERE id = ?3)",
        record.id,
      ),
    ]);
    return (results[once === undefined ? 0 : 1]?.meta.changes ?? 0) > 0;
  }
}

/** Returns the link with this token, of any workspace and on any shard; undefined if there is none. */
export async function findShareLink(
  bindings: Databases,
  tokenHash: string,
  nowMs: number,
): Promise<OpenedShareLink | undefined> {
  const row = await findOnAny(
    bindings,
    (db) =>
      db
        .prepare(`${OPENED} WHERE l.token_hash = ?1 AND (${MOVE_STATE}) IS NOT 'arriving'`)
        .bind(tokenHash, nowMs)
        .first<{ move: string | null }>(),
    ({ move }) => move !== "moved",
  );
  return row === undefined ? undefined : OpenedRow.parse(row);
}
