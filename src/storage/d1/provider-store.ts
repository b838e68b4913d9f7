import * as z from "zod";
import { type Database, databaseOf, type Databases, directoryOf } from "./databases.ts";
import { readWithTotal } from "./read-page.ts";

const Row = z
  .object({
    workspace_id: z.string(),
    id: z.string(),
    kind: z.string(),
    settings: z.string(),
    api_key: z.string().nullable(),
    api_key_updated_at_ms: z.int().nullable(),
    headers: z.string().nullable(),
    created_at_ms: z.int(),
    updated_at_ms: z.int(),
  })
  .readonly();
/** A provider as stored; `api_key` and `headers` are encrypted. */
export type ProviderRow = z.infer<typeof Row>;

const COLUMNS = Object.keys(Row.unwrap().shape).join(", ");
const Id = z.object({ id: z.string() });
const Slug = z.object({ model: z.string() });
/** In place of a workspace's id. */
const SYSTEM = "";

/** Returns the providers of the system and those of a workspace; the system's have an empty `workspace_id`. */
export async function providersFor(
  bindings: Databases,
  workspaceId: string,
): Promise<ProviderRow[]> {
  const db = providerDatabase(bindings, workspaceId);
  const { results } = await selectProvidersFor(db, workspaceId).all();
  return await readProviderRows(bindings, db, results);
}

/** The database of a workspace's providers; of the system's, which has none, the directory. */
export function providerDatabase(bindings: Databases, workspaceId: string): Database {
  return workspaceId === SYSTEM ? directoryOf(bindings) : databaseOf(bindings, workspaceId);
}

/** The statement of `providersFor`, for a batch; `readProviderRows` reads its results. */
export function selectProvidersFor(db: Database, workspaceId: string): D1PreparedStatement {
  return db
    .prepare(`SELECT ${COLUMNS} FROM providers WHERE workspace_id IN (?1, ?2) ORDER BY id`)
    .bind(SYSTEM, workspaceId);
}

/** The rows of a result. Those of the system are in the directory alone, and are added unless `db` is its database. */
export async function readProviderRows(
  bindings: Databases,
  db: Database,
  results: readonly unknown[],
): Promise<ProviderRow[]> {
  const rows = results.map((row) => Row.parse(row));
  const directory = directoryOf(bindings);
  if (db === directory || rows.some((row) => row.workspace_id === SYSTEM)) {
    return rows;
  }
  const systems = await selectProvidersFor(directory, SYSTEM).all();
  return [...systems.results.map((row) => Row.parse(row)), ...rows].sort((a, b) =>
    a.id < b.id ? -1 : 1,
  );
}

/** Nothing changes if another request created the provider with another kind meanwhile. */
const OF_KIND =
  "AND EXISTS (SELECT 1 FROM providers WHERE workspace_id = ?1 AND id = ?2 AND kind = ?3)";

export type PutOutcome = "stored" | "other_kind" | "slug_taken";

/** All SQL on the providers of one scope: a workspace, or the system (null). */
export class ProviderStore {
  readonly #db: Database;
  readonly #scope: string;

  constructor(bindings: Databases, workspaceId: string | null) {
    this.#scope = workspaceId ?? SYSTEM;
    this.#db = providerDatabase(bindings, this.#scope);
  }

  async find(id: string): Promise<ProviderRow | undefined> {
    const row = await this.#db
      .prepare(`SELECT ${COLUMNS} FROM providers WHERE workspace_id = ? AND id = ?`)
      .bind(this.#scope, id)
      .first();
    return row === null ? undefined : Row.parse(row);
  }

  /** Returns one page by id, and the number of all providers. */
  async list(afterId: string, limit: number): Promise<{ rows: ProviderRow[]; total: number }> {
    return await readWithTotal(
      this.#db,
      {
        page: this.#db
          .prepare(
            `SELECT ${COLUMNS} FROM providers WHERE workspace_id = ? AND id > ? ORDER BY id LIMIT ?`,
          )
          .bind(this.#scope, afterId, limit),
        count: this.#db
          .prepare("SELECT count(*) AS n FROM providers WHERE workspace_id = ?")
          .bind(this.#scope),
      },
      (row) => Row.parse(row),
    );
  }

  /** Returns those of these ids that the scope has. */
  async existing(ids: readonly string[]): Promise<readonly string[]> {
    const { results } = await this.#db
      .prepare(
        "SELECT id FROM providers WHERE workspace_id = ? AND id IN (SELECT value FROM json_each(?))",
      )
      .bind(this.#scope, JSON.stringify(ids))
      .all();
    return results.map((row) => Id.parse(row).id);
  }

  /** Returns one of these slugs that another provider of the scope has. */
  async takenSlug(id: string, slugs: readonly string[]): Promise<string | undefined> {
    const row = await this.#db
      .prepare(
        `SELECT model FROM provider_models WHERE workspace_id = ? AND provider_id <> ?
         AND model IN (SELECT value FROM json_each(?)) ORDER BY model LIMIT 1`,
      )
      .bind(this.#scope, id, JSON.stringify(slugs))
      .first();
    return row === null ? undefined : Slug.parse(row).model;
  }

  /**
   * Creates or replaces a provider and the slugs of its models in one transaction. An `api_key` of undefined keeps the
   * stored one, as it stands when the row is written.
   */
  async put(
    row: Omit<
      ProviderRow,
      "workspace_id" | "created_at_ms" | "api_key" | "api_key_updated_at_ms"
    > & {
      readonly api_key: string | null | undefined;
    },
    slugs: readonly string[],
  ): Promise<PutOutcome> {
    const keeps = row.api_key === undefined ? 1 : 0;
    const hasKey = typeof row.api_key === "string";
    try {
      const [stored] = await this.#db.batch([
        this.#db
          .prepare(
            `INSERT INTO providers (${COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8)
             ON CONFLICT (workspace_id, id) DO UPDATE SET settings = excluded.settings,
               headers = excluded.headers, updated_at_ms = excluded.updated_at_ms,
               api_key = CASE WHEN ?9 THEN api_key ELSE excluded.api_key END,
               api_key_updated_at_ms = CASE WHEN ?9 THEN api_key_updated_at_ms ELSE excluded.api_key_updated_at_ms END
             WHERE kind = excluded.kind`,
          )
          .bind(
            this.#scope,
            row.id,
            row.kind,
            row.settings,
            row.api_key ?? null,
            hasKey ? row.updated_at_ms : null,
            row.headers,
            row.updated_at_ms,
            keeps,
          ),
        this.#db
          .prepare(
            `DELETE FROM provider_models WHERE workspace_id = ?1 AND provider_id = ?2 ${OF_KIND}`,
          )
          .bind(this.#scope, row.id, row.kind),
        this.#db
          .prepare(
            `INSERT INTO provider_models (workspace_id, model, provider_id)
             SELECT ?1, value, ?2 FROM json_each(?4) WHERE TRUE ${OF_KIND}`,
          )
          .bind(this.#scope, row.id, row.kind, JSON.stringify(slugs)),
      ]);
      return (stored?.meta.changes ?? 0) > 0 ? "stored" : "other_kind";
    } catch (error) {
      if (String(error).includes("UNIQUE constraint failed: provider_models")) {
        return "slug_taken";
      }
      throw error;
    }
  }

  /** Returns false if there is no such provider. */
  async delete(id: string): Promise<boolean> {
    const [, gone] = await this.#db.batch([
      this.#db
        .prepare("DELETE FROM provider_models WHERE workspace_id = ? AND provider_id = ?")
        .bind(this.#scope, id),
      this.#db
        .prepare("DELETE FROM providers WHERE workspace_id = ? AND id = ?")
        .bind(this.#scope, id),
    ]);
    return (gone?.meta.changes ?? 0) > 0;
  }
}
