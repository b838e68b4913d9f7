import * as z from "zod";
import { type Database, databaseOf, type Databases } from "./databases.ts";
import type { ScheduleStatus } from "../../contracts/schedules/schedule.ts";
import { type OnceStatements, runOnce } from "./idempotency-store.ts";
import { readPage } from "./read-page.ts";

const ScheduleRow = z.object({ seq: z.int(), id: z.string() });
export type ScheduleRow = z.infer<typeof ScheduleRow>;

/** All SQL on the rows of one workspace's schedules. */
export class ScheduleRows {
  readonly #db: Database;
  readonly #workspaceId: string;

  constructor(bindings: Databases, workspaceId: string) {
    this.#db = databaseOf(bindings, workspaceId);
    this.#workspaceId = workspaceId;
  }

  /**
   * Makes a schedule visible whose object was created before. One statement counts and writes, so that concurrent calls
   * keep the plan's limit. Returns false if it is reached.
   */
  async insert(
    row: { readonly id: string; readonly workflow: string; readonly createdAtMs: number },
    schedulesMax: number,
    once: OnceStatements | undefined,
  ): Promise<boolean> {
    const statement = this.#db
      .prepare(
        `INSERT INTO schedules (id, workspace_id, workflow, status, created_at_ms)
         SELECT ?1, ?2, ?3, 'active', ?4
         WHERE (SELECT count(*) FROM schedules WHERE workspace_id = ?2) < ?5`,
      )
      .bind(row.id, this.#workspaceId, row.workflow, row.createdAtMs, schedulesMax);
    return (await runOnce(this.#db, statement, row.id, once)).changes > 0;
  }

  /** Returns `elsewhere` if the schedule belongs to another workspace, undefined if there is none. */
  async find(id: string): Promise<ScheduleRow | "elsewhere" | undefined> {
    const row = await this.#db
      .prepare("SELECT seq, id, workspace_id FROM schedules WHERE id = ?1")
      .bind(id)
      .first<ScheduleRow & { workspace_id: string }>();
    if (row === null) {
      return undefined;
    }
    return row.workspace_id === this.#workspaceId ? ScheduleRow.parse(row) : "elsewhere";
  }

  async exists(id: string): Promise<boolean> {
    const found = await this.find(id);
    return found !== undefined && found !== "elsewhere";
  }

  async update(
    id: string,
    { status, workflow }: { readonly status: ScheduleStatus; readonly workflow: string },
  ): Promise<void> {
    await this.#db
      .prepare(
        "UPDATE schedules SET status = ?3, workflow = ?4 WHERE id = ?1 AND workspace_id = ?2",
      )
      .bind(id, this.#workspaceId, status, workflow)
      .run();
  }

  async delete(id: string): Promise<void> {
    await this.#db
      .prepare("DELETE FROM schedules WHERE id = ?1 AND workspace_id = ?2")
      .bind(id, this.#workspaceId)
      .run();
  }

  /** Returns one page, newest first, and the number of all matches, from one moment. */
  async list(filter: {
    readonly status: ScheduleStatus | null;
    readonly workflow: string | null;
    readonly belowSeq: number | null;
    readonly limit: number;
  }): Promise<{ rows: ScheduleRow[]; total: number }> {
    return await readPage(
      this.#db,
      {
        table: "schedules",
        columns: "seq, id",
        where:
          "workspace_id = ?1 AND (?2 IS NULL OR status = ?2) AND (?3 IS NULL OR workflow = ?3)",
        bound: [this.#workspaceId, filter.status, filter.workflow],
        belowSeq: filter.belowSeq,
        limit: filter.limit,
      },
      (row) => ScheduleRow.parse(row),
    );
  }
}
