import type {
  AcknowledgeRequest,
  AdmittedStart,
  CloseRequest,
  RunIndexRow,
  RunListFilter,
  RunListPage,
} from "../../src/contracts/admission.ts";
import type { RunStatus } from "../../src/contracts/run.ts";

/** How far a run's birth has come. */
export const PHASE = {
  /** Admitted; the run object may not have heard of it yet. */
  starting: 0,
  /** The run object has it. */
  acknowledged: 1,
  ended: 2,
} as const;

/** Whether a run has a slot of the plan's concurrency. */
export const SLOT = {
  taken: 0,
  /** Accepted beyond the plan's concurrency: waits. */
  held: 1,
  /** Has a slot, and its run object has not been told yet. */
  promoted: 2,
} as const;

/** A row holds at most 2 MB, a submit body up to 4 MiB: stored starts are cut into pieces of this many UTF-16 units (at most 3 bytes each). */
const START_PIECE_UNITS = 500_000;

type Row = RunIndexRow & Record<string, SqlStorageValue>;

const COLUMNS = `run_id, workflow_id, workflow_name, workflow_version, interface_id, status, progress,
  credits_used_milli, error_code, error_message, created_at_ms, started_at_ms, completed_at_ms,
  outputs_expired_at_ms`;

/** Runs, their starts, and idempotency records of one workspace: all SQL but the ledger's and the pointers'. */
export class WorkspaceStore {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  // Idempotency

  idempotencyRecord(
    key: string,
    nowMs: number,
  ): { fingerprint: string; run_id: string; status_code: number } | undefined {
    return this.#sql
      .exec<{ fingerprint: string; run_id: string; status_code: number }>(
        "SELECT fingerprint, run_id, status_code FROM idempotency WHERE key = ? AND expires_at_ms > ?",
        key,
        nowMs,
      )
      .toArray()[0];
  }

  recordIdempotency(
    record: { key: string; fingerprint: string },
    runId: string,
    statusCode: 202 | 402,
    expiresAtMs: number,
  ): void {
    this.#sql.exec(
      "INSERT OR REPLACE INTO idempotency VALUES (?, ?, ?, ?, ?)",
      record.key,
      record.fingerprint,
      runId,
      statusCode,
      expiresAtMs,
    );
  }

  purgeIdempotency(nowMs: number): void {
    this.#sql.exec("DELETE FROM idempotency WHERE expires_at_ms <= ?", nowMs);
  }

  // Runs

  insertRun(
    start: AdmittedStart,
    state: {
      status: RunStatus;
      phase: number;
      slot: number;
      error: { code: string; message: string } | null;
    },
  ): void {
    const ended = state.phase === PHASE.ended;
    this.#sql.exec(
      `INSERT INTO runs (run_id, workflow_id, workflow_name, workflow_version, interface_id, status,
         progress, credits_used_milli, error_code, error_message, created_at_ms, completed_at_ms, phase, slot)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      start.run_id,
      start.workflow_id,
      start.workflow_name,
      start.workflow_version,
      start.interface_id,
      state.status,
      ended ? 100 : 0,
      ended ? 0 : null,
      state.error?.code ?? null,
      state.error?.message ?? null,
      start.created_at_ms,
      ended ? start.created_at_ms : null,
      state.phase,
      state.slot,
    );
  }

  run(runId: string): (Row & { phase: number; slot: number }) | undefined {
    return this.#sql
      .exec<Row & { phase: number; slot: number }>(
        `SELECT ${COLUMNS}, phase, slot FROM runs WHERE run_id = ?`,
        runId,
      )
      .toArray()[0];
  }

  row(runId: string): RunIndexRow | undefined {
    return this.#sql.exec<Row>(`SELECT ${COLUMNS} FROM runs WHERE run_id = ?`, runId).toArray()[0];
  }

  latestCreatedAtMs(): number {
    return (
      this.#sql
        .exec<{ at: number }>("SELECT created_at_ms AS at FROM runs ORDER BY seq DESC LIMIT 1")
        .toArray()[0]?.at ?? 0
    );
  }

  lastSeq(): number {
    return this.#sql.exec<{ seq: number }>("SELECT coalesce(max(seq), 0) AS seq FROM runs").one()
      .seq;
  }

  /** Whether a run with a slot, admitted since and no later than `lastSeq`, has not been heard of. */
  isStarting(lastSeq: number, sinceMs: number): boolean {
    return (
      this.#sql
        .exec(
          `SELECT 1 FROM runs INDEXED BY runs_live
           WHERE phase < 2 AND slot = 0 AND phase = 0 AND seq <= ? AND created_at_ms >= ? LIMIT 1`,
          lastSeq,
          sinceMs,
        )
        .toArray().length > 0
    );
  }

  /** A run goes from pending to running to cancelling and never back. */
  acknowledge({ run_id, started_at_ms, is_cancelling = false }: AcknowledgeRequest): void {
    this.#sql.exec(
      `UPDATE runs SET phase = 1, started_at_ms = coalesce(started_at_ms, ?1),
         status = CASE WHEN ?2 OR status = 'cancelling' THEN 'cancelling'
           WHEN ?1 IS NULL THEN status ELSE 'running' END
       WHERE run_id = ?3 AND phase < 2`,
      started_at_ms,
      is_cancelling ? 1 : 0,
      run_id,
    );
    this.dropStart(run_id);
  }

  close(request: CloseRequest, creditsUsedMilli: number): void {
    this.#sql.exec(
      `UPDATE runs SET phase = 2, status = ?, progress = ?, credits_used_milli = ?, error_code = ?,
         error_message = ?, started_at_ms = coalesce(?, started_at_ms), completed_at_ms = ?
       WHERE run_id = ? AND phase < 2`,
      request.status,
      request.progress,
      creditsUsedMilli,
      request.error_code,
      request.error_message,
      request.started_at_ms,
      request.completed_at_ms,
      request.run_id,
    );
  }

  /** Nobody needs to hear of it again. */
  dropStart(runId: string): void {
    this.#sql.exec("DELETE FROM starts WHERE run_id = ?", runId);
  }

  /** Live runs, of one workflow or of all. */
  countLive(workflowId: string | null): number {
    return this.#sql
      .exec<{ n: number }>(
        `SELECT count(*) AS n FROM runs INDEXED BY runs_live
         WHERE phase < 2${workflowId === null ? "" : " AND workflow_id = ?"}`,
        ...(workflowId === null ? [] : [workflowId]),
      )
      .one().n;
  }

  countSlotsTaken(): number {
    return this.#sql
      .exec<{ n: number }>("SELECT count(*) AS n FROM runs WHERE phase < 2 AND slot <> 1")
      .one().n;
  }

  /** Live runs that wait for a slot. */
  countHeld(): number {
    return this.#sql
      .exec<{ n: number }>("SELECT count(*) AS n FROM runs WHERE phase < 2 AND slot = 1")
      .one().n;
  }

  list(filter: RunListFilter): RunListPage | undefined {
    const where: string[] = [];
    const values: SqlStorageValue[] = [];
    const add = (condition: string, value: SqlStorageValue | null) => {
      if (value !== null) {
        where.push(condition);
        values.push(value);
      }
    };
    add("workflow_id = ?", filter.workflow_id);
    add("status = ?", filter.status);
    add("created_at_ms > ?", filter.created_after_ms);
    add("created_at_ms < ?", filter.created_before_ms);
    const conditions = where.length === 0 ? "" : ` WHERE ${where.join(" AND ")}`;
    const total = this.#sql
      .exec<{ n: number }>(`SELECT count(*) AS n FROM runs${conditions}`, ...values)
      .one().n;
    if (filter.starting_after !== null) {
      const cursor = this.#sql
        .exec<{ seq: number }>("SELECT seq FROM runs WHERE run_id = ?", filter.starting_after)
        .toArray()[0];
      if (cursor === undefined) {
        return undefined;
      }
      add("seq < ?", cursor.seq);
    }
    const rows = this.#sql
      .exec<Row>(
        `SELECT ${COLUMNS} FROM runs${where.length === 0 ? "" : ` WHERE ${where.join(" AND ")}`}
         ORDER BY seq DESC LIMIT ?`,
        ...values,
        filter.limit + 1,
      )
      .toArray();
    return {
      rows: rows.slice(0, filter.limit),
      has_more: rows.length > filter.limit,
      total_count: total,
    };
  }

  // Starts that have not been acknowledged

  keepStart(start: AdmittedStart, dueAtMs: number): void {
    const body = JSON.stringify(start);
    for (let piece = 0, from = 0; from < body.length; piece++) {
      let end = from + START_PIECE_UNITS;
      // A surrogate pair cut in two would not survive the trip through UTF-8.
      if (end < body.length && /[\uD800-\uDBFF]/.test(body.charAt(end - 1))) {
        end -= 1;
      }
      this.#sql.exec(
        "INSERT INTO starts VALUES (?, ?, ?, ?, 0)",
        start.run_id,
        piece,
        body.slice(from, end),
        dueAtMs,
      );
      from = end;
    }
  }

  /** The start as it was admitted, `is_held` as it stands now; undefined once acknowledged. */
  keptStart(runId: string): AdmittedStart | undefined {
    const pieces = this.#sql
      .exec<{ body: string }>("SELECT body FROM starts WHERE run_id = ? ORDER BY piece", runId)
      .toArray();
    const slot = this.run(runId)?.slot;
    if (pieces.length === 0 || slot === undefined) {
      return undefined;
    }
    const start = JSON.parse(pieces.map((piece) => piece.body).join("")) as AdmittedStart;
    return { ...start, is_held: slot === SLOT.held };
  }

  dueStarts(nowMs: number, limit: number): { run_id: string; attempts: number }[] {
    return this.#sql
      .exec<{ run_id: string; attempts: number }>(
        "SELECT run_id, attempts FROM starts WHERE piece = 0 AND due_at_ms <= ? ORDER BY due_at_ms LIMIT ?",
        nowMs,
        limit,
      )
      .toArray();
  }

  postponeStart(runId: string, dueAtMs: number): void {
    this.#sql.exec(
      "UPDATE starts SET due_at_ms = ?, attempts = attempts + 1 WHERE run_id = ?",
      dueAtMs,
      runId,
    );
  }

  // Slots

  maxConcurrent(): number | undefined {
    return this.#sql.exec<{ n: number }>("SELECT max_concurrent AS n FROM settings").toArray()[0]
      ?.n;
  }

  setMaxConcurrent(max: number): void {
    this.#sql.exec("INSERT OR REPLACE INTO settings VALUES (1, ?)", max);
  }

  /** Gives slots to those that have waited longest; answers how many got one. */
  promoteHeld(count: number): number {
    return this.#sql
      .exec(
        `UPDATE runs SET slot = 2 WHERE seq IN
           (SELECT seq FROM runs WHERE phase < 2 AND slot = 1 ORDER BY seq LIMIT ?) RETURNING seq`,
        count,
      )
      .toArray().length;
  }

  promotedRuns(limit: number): string[] {
    return this.#sql
      .exec<{ run_id: string }>(
        "SELECT run_id FROM runs WHERE phase < 2 AND slot = 2 ORDER BY seq LIMIT ?",
        limit,
      )
      .toArray()
      .map((row) => row.run_id);
  }

  promotionDelivered(runId: string): void {
    this.#sql.exec("UPDATE runs SET slot = 0 WHERE run_id = ? AND slot = 2", runId);
  }

  /** When the earliest unacknowledged start is due again, and when the oldest record expires. */
  dues(): { startMs: number | null; expiryMs: number | null } {
    return this.#sql
      .exec<{ startMs: number | null; expiryMs: number | null }>(
        `SELECT (SELECT min(due_at_ms) FROM starts) AS startMs,
                (SELECT min(expires_at_ms) FROM idempotency) AS expiryMs`,
      )
      .one();
  }
}
