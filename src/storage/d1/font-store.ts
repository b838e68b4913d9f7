import { type Database, databaseOf, type Databases } from "./databases.ts";
import type * as z from "zod";
import type { OnceStatements } from "./idempotency-store.ts";
import { foldCase } from "../../lib/fold-case.ts";
import { readWithTotal } from "./read-page.ts";
import {
  Count,
  FAMILIES,
  type FamilyFields,
  FamilyRow,
  FileRow,
  FILES,
  type FontFamilyRow,
  type FontFileRow,
  type FontFilter,
  Found,
  type ListedSystemFamily,
  type NewRevision,
  RevisionRow,
} from "./font-rows.ts";

/** All SQL on the font families of one workspace. */
export class FontStore {
  readonly #db: Database;
  readonly #workspaceId: string;

  constructor(bindings: Databases, workspaceId: string) {
    this.#db = databaseOf(bindings, workspaceId);
    this.#workspaceId = workspaceId;
  }

  /**
   * Finds archived families too. Returns `elsewhere` if the family belongs to another workspace, undefined if there is
   * none.
   */
  async find(id: string): Promise<FontFamilyRow | "elsewhere" | undefined> {
    const row = await this.#db
      .prepare(`${FAMILIES} WHERE f.id = ?1 AND f.workspace_id = ?2`)
      .bind(id, this.#workspaceId)
      .first();
    if (row !== null) {
      return FamilyRow.parse(row);
    }
    const other = await this.#db
      .prepare("SELECT 1 FROM font_families WHERE id = ?")
      .bind(id)
      .first();
    return other === null ? undefined : "elsewhere";
  }

  /** Returns the family of that name, archived or not. */
  async findByName(displayName: string): Promise<FontFamilyRow | undefined> {
    const row = await this.#db
      .prepare(`${FAMILIES} WHERE f.workspace_id = ?1 AND f.name_folded = ?2`)
      .bind(this.#workspaceId, foldCase(displayName))
      .first();
    return row === null ? undefined : FamilyRow.parse(row);
  }

  /** Returns the active family with this display name or family name (folded); the display name wins. */
  async findActive(folded: string): Promise<FontFamilyRow | undefined> {
    const row = await this.#db
      .prepare(
        `${FAMILIES} WHERE f.workspace_id = ?1 AND f.state = 'active' AND ?2 IN (f.name_folded, f.family_folded)
         ORDER BY f.name_folded = ?2 DESC, f.id LIMIT 1`,
      )
      .bind(this.#workspaceId, folded)
      .first();
    return row === null ? undefined : FamilyRow.parse(row);
  }

  /** The same for many names, in one statement: by the folded name, without those that no family has. */
  async findAllActive(folded: readonly string[]): Promise<ReadonlyMap<string, FontFamilyRow>> {
    const { results } = await this.#db
      .prepare(
        `${FAMILIES}, json_each(?2) n
         WHERE f.workspace_id = ?1 AND f.state = 'active' AND n.value IN (f.name_folded, f.family_folded)
         GROUP BY f.id ORDER BY f.id`,
      )
      .bind(this.#workspaceId, JSON.stringify(folded))
      .all();
    const families = results.map((row) => FamilyRow.parse(row));
    return new Map(
      folded.flatMap((name) => {
        const found =
          families.find((family) => foldCase(family.display_name) === name) ??
          families.find((family) => foldCase(family.family) === name);
        return found === undefined ? [] : [[name, found] as const];
      }),
    );
  }

  /** Returns a revision by its id, with its family. */
  async findRevision(versionId: string): Promise<z.infer<typeof RevisionRow> | undefined> {
    const row = await this.#db
      .prepare(
        `SELECT r.family_id, r.revision_number, r.fingerprint, r.file_count, f.family
         FROM font_revisions r JOIN font_families f ON f.id = r.family_id
         WHERE r.id = ?1 AND r.workspace_id = ?2`,
      )
      .bind(versionId, this.#workspaceId)
      .first();
    return row === null ? undefined : RevisionRow.parse(row);
  }

  /** Returns families by their ids, in no particular order. */
  async load(ids: readonly string[]): Promise<FontFamilyRow[]> {
    const { results } = await this.#db
      .prepare(
        `${FAMILIES} WHERE f.workspace_id = ?1 AND f.id IN (SELECT value FROM json_each(?2))`,
      )
      .bind(this.#workspaceId, JSON.stringify(ids))
      .all();
    return results.map((row) => FamilyRow.parse(row));
  }

  /** Returns the files of revisions by weight, upright styles first. */
  async filesOf(versionIds: readonly string[]): Promise<FontFileRow[]> {
    const { results } = await this.#db
      .prepare(
        `${FILES} WHERE ff.workspace_id = ?1 AND ff.version_id IN (SELECT value FROM json_each(?2))
         ORDER BY ff.version_id, ff.weight, ff.style DESC`,
      )
      .bind(this.#workspaceId, JSON.stringify(versionIds))
      .all();
    return results.map((row) => FileRow.parse(row));
  }

  /** Returns one file of one revision of a family, by its id or its variant. */
  async findFile(
    familyId: string,
    versionId: string,
    which: { readonly fileId: string } | { readonly variant: string },
  ): Promise<FontFileRow | undefined> {
    const [column, value] =
      "fileId" in which ? ["ff.id", which.fileId] : ["ff.variant", which.variant];
    const row = await this.#db
      .prepare(
        `${FILES} JOIN font_revisions r ON r.id = ff.version_id
         WHERE ff.workspace_id = ?1 AND r.family_id = ?2 AND ff.version_id = ?3 AND ${column} = ?4`,
      )
      .bind(this.#workspaceId, familyId, versionId, value)
      .first();
    return row === null ? undefined : FileRow.parse(row);
  }

  /** Returns a page of active families and system families together, by name, and the total number of matches. */
  async list(
    filter: FontFilter,
    system: readonly ListedSystemFamily[],
  ): Promise<{ found: z.infer<typeof Found>[]; total: number }> {
    const listed = system.map(({ id, displayName, family, category }) => ({
      id,
      category,
      name: foldCase(displayName),
      family: foldCase(family),
    }));
    // Both sources share one order, so one statement sorts them.
    const families = `WITH families AS (
        SELECT id, name_folded AS name, family_folded AS family, category, 'workspace' AS scope
        FROM font_families WHERE workspace_id = ?1 AND state = 'active'
        UNION ALL
        SELECT value->>'id', value->>'name', value->>'family', value->>'category', 'system'
        FROM json_each(?2)
      ) `;
    // LIKE would treat % and _ in the caller's text as wildcards.
    const where = `(?3 IS NULL OR instr(name, ?3) > 0 OR instr(family, ?3) > 0)
      AND (?4 IS NULL OR category = ?4) AND (?5 IS NULL OR scope = ?5)`;
    const query = filter.query === null ? null : foldCase(filter.query);
    const bound = [
      this.#workspaceId,
      JSON.stringify(listed),
      query,
      filter.category,
      filter.scope,
    ] as const;
    const { after } = filter;
    const page = this.#db
      .prepare(
        `${families} SELECT id, scope FROM families WHERE ${where}
           AND (?6 IS NULL OR (name, id) > (?6, ?7)) ORDER BY name, id LIMIT ?8`,
      )
      .bind(
        ...bound,
        after === null ? null : foldCase(after.displayName),
        after?.id ?? null,
        filter.limit,
      );
    const count = this.#db
      .prepare(`${families} SELECT count(*) AS n FROM families WHERE ${where}`)
      .bind(...bound);
    const { rows: found, total } = await readWithTotal(this.#db, { page, count }, (row) =>
      Found.parse(row),
    );
    return { found, total };
  }

  /** Creates a family with its first revision in one transaction. Returns false if its name is taken. */
  async insert(
    family: FamilyFields & { readonly id: string; readonly family: string },
    revision: NewRevision,
    once?: OnceStatements,
  ): Promise<boolean> {
    const statements = [
      ...(once === undefined ? [] : [once.guard]),
      this.#db
        .prepare(
          `INSERT INTO font_families (id, workspace_id, display_name, name_folded, family, family_folded, category, fallback_id, state, version_id, created_at_ms)
           VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 'active', ?9, ?10)`,
        )
        .bind(
          family.id,
          this.#workspaceId,
          family.displayName,
          foldCase(family.displayName),
          family.family,
          foldCase(family.family),
          family.category,
          family.fallbackId ?? null,
          revision.versionId,
          revision.nowMs,
        ),
      ...(once === undefined ? [] : [once.record(revision.versionId)]),
      this.#db
        .prepare(
          `INSERT INTO font_revisions (id, workspace_id, family_id, revision_number, fingerprint, file_count, created_at_ms)
           VALUES (?1, ?2, ?3, 1, ?4, ?5, ?6)`,
        )
        .bind(
          revision.versionId,
          this.#workspaceId,
          family.id,
          revision.fingerprint,
          revision.files.length,
          revision.nowMs,
        ),
      ...this.#filesOf(revision),
    ];
    return (await this.#unlessNameTaken(family, statements)) !== "name_taken";
  }

  /**
   * Creates the next revision of an active family and applies the form's metadata, in one transaction. Returns the
   * revision's number, or `unchanged` without creating one if the current revision is the same or the family is not
   * active.
   */
  async insertRevision(
    familyId: string,
    fields: FamilyFields,
    revision: NewRevision,
    once?: OnceStatements,
  ): Promise<number | "unchanged" | "name_taken"> {
    const statements = [
      ...(once === undefined ? [] : [once.guard]),
      this.#db
        .prepare(
          `INSERT INTO font_revisions (id, workspace_id, family_id, revision_number, fingerprint, file_count, created_at_ms)
           SELECT ?1, ?2, f.id, r.revision_number + 1, ?4, ?5, ?6
           FROM font_families f JOIN font_revisions r ON r.id = f.version_id
           WHERE f.id = ?3 AND f.workspace_id = ?2 AND f.state = 'active' AND r.fingerprint <> ?4`,
        )
        .bind(
          revision.versionId,
          this.#workspaceId,
          familyId,
          revision.fingerprint,
          revision.files.length,
          revision.nowMs,
        ),
      ...(once === undefined ? [] : [once.record(revision.versionId)]),
      this.#db
        .prepare(
          `UPDATE font_families SET display_name = ?3, name_folded = ?4, category = ?5,
             fallback_id = CASE WHEN ?6 THEN fallback_id ELSE ?7 END,
             version_id = coalesce((SELECT id FROM font_revisions WHERE id = ?8), version_id)
           WHERE id = ?1 AND workspace_id = ?2 AND state = 'active'`,
        )
        .bind(
          familyId,
          this.#workspaceId,
          fields.displayName,
          foldCase(fields.displayName),
          fields.category,
          fields.fallbackId === undefined ? 1 : 0,
          fields.fallbackId ?? null,
          revision.versionId,
        ),
      ...this.#filesOf(revision),
      this.#db
        .prepare("SELECT revision_number AS n FROM font_revisions WHERE id = ?")
        .bind(revision.versionId),
    ];
    const results = await this.#unlessNameTaken({ ...fields, id: familyId }, statements);
    if (results === "name_taken") {
      return "name_taken";
    }
    const made = results.at(-1)?.results[0];
    return made === undefined ? "unchanged" : Count.parse(made).n;
  }

  /** Archiving an archived family changes nothing. */
  async archive(id: string): Promise<void> {
    await this.#db
      .prepare("UPDATE font_families SET state = 'archived' WHERE id = ? AND workspace_id = ?")
      .bind(id, this.#workspaceId)
      .run();
  }

  /** Makes the bytes of a revision visible and adds its files; does nothing if the revision does not exist. */
  #filesOf({ versionId, files, keys }: NewRevision): D1PreparedStatement[] {
    return [
      // If two uploads wrote the same bytes at once, the first ones are kept. Bytes without a digest are being removed.
      this.#db
        .prepare(
          `UPDATE font_objects SET state = 'ready'
           WHERE workspace_id = ?1 AND state = 'writing' AND sha256 <> ''
             AND key IN (SELECT value FROM json_each(?2))
             AND EXISTS (SELECT 1 FROM font_revisions WHERE id = ?3)
             AND NOT EXISTS (SELECT 1 FROM font_objects o
               WHERE o.workspace_id = ?1 AND o.state = 'ready' AND o.sha256 = font_objects.sha256)`,
        )
        .bind(this.#workspaceId, JSON.stringify(keys), versionId),
      this.#db
        .prepare(
          `INSERT INTO font_files (id, workspace_id, version_id, variant, weight, style, format, post_script_name, sha256)
           SELECT value->>'id', ?1, ?2, value->>'variant', value->>'weight', value->>'style', value->>'format',
             value->>'postScriptName', value->>'sha256'
           FROM json_each(?3) WHERE EXISTS (SELECT 1 FROM font_revisions WHERE id = ?2)`,
        )
        .bind(this.#workspaceId, versionId, JSON.stringify(files)),
    ];
  }

  /**
   * Runs one transaction. The table keeps names unique; after a failure, a query finds out whether that was the reason.
   */
  async #unlessNameTaken(
    family: { readonly id: string; readonly displayName: string },
    statements: D1PreparedStatement[],
  ): Promise<D1Result[] | "name_taken"> {
    try {
      return await this.#db.batch(statements);
    } catch (error) {
      const holder = await this.findByName(family.displayName);
      if (holder !== undefined && holder.id !== family.id) {
        return "name_taken";
      }
      throw error;
    }
  }
}
