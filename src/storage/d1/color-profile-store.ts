import * as z from "zod";
import { type Database, databaseOf, type Databases } from "./databases.ts";
import { type OnceStatements, runOnce } from "./idempotency-store.ts";
import { readPage } from "./read-page.ts";

const Row = z.object({
  seq: z.int(),
  guid: z.string(),
  workspace_id: z.string(),
  name: z.string(),
  output_condition_identifier: z.string(),
  color_space: z.enum(["CMYK", "RGB", "GRAY"]),
  sha256: z.string(),
  size_bytes: z.int(),
  storage_key: z.string(),
  created_at_ms: z.int(),
});
export type ColorProfileRow = z.infer<typeof Row>;

const COLUMNS = Object.keys(Row.shape).join(", ");
const Count = z.object({ n: z.int() });
const OURS = "workspace_id = ?1 AND deleted_at_ms IS NULL";

/** All SQL on the color profiles of one workspace. */
export class ColorProfileStore {
  readonly #db: Database;
  readonly #workspaceId: string;

  constructor(bindings: Databases, workspaceId: string) {
    this.#db = databaseOf(bindings, workspaceId);
    this.#workspaceId = workspaceId;
  }

  /** Returns the profile; `elsewhere` if it belongs to another workspace; undefined if there is none. */
  async find(guid: string): Promise<ColorProfileRow | "elsewhere" | undefined> {
    const found = await this.#db
      .prepare(`SELECT ${COLUMNS} FROM color_profiles WHERE guid = ? AND deleted_at_ms IS NULL`)
      .bind(guid)
      .first();
    if (found === null) {
      return undefined;
    }
    const row = Row.parse(found);
    return row.workspace_id === this.#workspaceId ? row : "elsewhere";
  }

  /** Several profiles of the workspace, those that exist, in no order; deleted ones too if they are asked for. */
  async findAll(
    guids: readonly string[],
    { withDeleted }: { readonly withDeleted: boolean },
  ): Promise<ColorProfileRow[]> {
    const { results } = await this.#db
      .prepare(
        `SELECT ${COLUMNS} FROM color_profiles WHERE workspace_id = ?1 AND (?3 OR deleted_at_ms IS NULL)
         AND guid IN (SELECT value FROM json_each(?2))`,
      )
      .bind(this.#workspaceId, JSON.stringify(guids), withDeleted ? 1 : 0)
      .all();
    return results.map((row) => Row.parse(row));
  }

  /** Returns a profile's place in the order of creation, also of a deleted one. */
  async seqOf(guid: string): Promise<number | undefined> {
    const row = await this.#db
      .prepare("SELECT seq AS n FROM color_profiles WHERE guid = ? AND workspace_id = ?")
      .bind(guid, this.#workspaceId)
      .first();
    return row === null ? undefined : Count.parse(row).n;
  }

  /** Returns one page, newest first, and the number of all profiles. */
  async list(
    belowSeq: number | null,
    limit: number,
  ): Promise<{ rows: ColorProfileRow[]; total: number }> {
    return await readPage(
      this.#db,
      {
        table: "color_profiles",
        columns: COLUMNS,
        where: OURS,
        bound: [this.#workspaceId],
        belowSeq,
        limit,
      },
      (row) => Row.parse(row),
    );
  }

  async insert(
    row: Omit<ColorProfileRow, "seq" | "workspace_id">,
    once: OnceStatements | undefined,
  ): Promise<void> {
    const create = this.#db
      .prepare(
        `INSERT INTO color_profiles (guid, workspace_id, name, output_condition_identifier, color_space, sha256, size_bytes, storage_key, created_at_ms)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)`,
      )
      .bind(
        row.guid,
        this.#workspaceId,
        row.name,
        row.output_condition_identifier,
        row.color_space,
        row.sha256,
        row.size_bytes,
        row.storage_key,
        row.created_at_ms,
      );
    await runOnce(this.#db, create, row.guid, once);
  }

  /** Hides a profile for good. Its row stays as a place in lists. */
  async markDeleted(guid: string, nowMs: number): Promise<void> {
    await this.#db
      .prepare(`UPDATE color_profiles SET deleted_at_ms = ?3 WHERE ${OURS} AND guid = ?2`)
      .bind(this.#workspaceId, guid, nowMs)
      .run();
  }
}
