import {
  type AcknowledgeRequest,
  type AdmittedStart,
  type CloseRequest,
  type RunIndexRow,
  type RunLabels,
  type RunListFilter,
  type RunListPage,
} from "../../src/contracts/workspaces/admission.ts";
import type { RunEndRow } from "../../src/contracts/batches/batch-object-api.ts";
import { unindexedOrigin } from "../../src/contracts/runs/run-origin.ts";
import type { RunStatus } from "../../src/contracts/runs/run.ts";
import { IDEMPOTENCY_KEPT_MS } from "../../src/lib/idempotency-record.ts";
import type { PendingStart } from "./pending-starts.ts";
import { LABELS } from "./label-index.ts";
import { RunIndex } from "./run-index.ts";
import { type KnownRun, PHASE, SLOT } from "./known-run.ts";
import { startText, UndeliveredStarts } from "./undelivered-starts.ts";

type Row = RunIndexRow & Record<string, SqlStorageValue>;

/** The use of an idempotency key; an expired one is free for another run. */
export type KeyRecord =
  | { readonly kind: "lapsed"; readonly seq: number }
  | {
      readonly kind: "kept";
      readonly fingerprint: string;
      readonly run_id: string;
      readonly status_code: 202 | 402;
    };

const COLUMNS = `run_id, workflow_id, workflow_name, workflow_version, interface_id, status, progress,
  credits_used_milli, error_code, error_message, error_node_id, error_indices, created_at_ms,
  started_at_ms, completed_at_ms, outputs_expired_at_ms, embed, end_user_id, client_reference,
  batch, schedule, retry_of, origin`;

/**
 * Runs of one workspace with their starts and idempotency keys, in one row each. A start must be repeated until the run
 * object has the run, and is then emptied; until then the run is
 * *fresh*, and found by `fresh_from`: the row admitted last names the first run that was fresh at that time. Only a run
 * that outlives its first slice gets an entry in the index of live runs.
 */
export class WorkspaceStore {
  readonly #sql: SqlStorage;
  readonly #index: RunIndex;
  readonly starts: UndeliveredStarts;
  readonly #workflows = new Map<string, number>();
  #lastSeq: number;
  #lastCreatedAtMs: number;
  #pendingFrom: number;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#index = new RunIndex(sql);
    this.starts = new UndeliveredStarts(sql);
    ({
      seq: this.#lastSeq,
      at: this.#lastCreatedAtMs,
      fresh_from: this.#pendingFrom,
    } = this.#last());
  }

  /** A transaction was rolled back. */
  forget(): void {
    this.#index.forget();
    this.#workflows.clear();
    ({
      seq: this.#lastSeq,
      at: this.#lastCreatedAtMs,
      fresh_from: this.#pendingFrom,
    } = this.#last());
  }

  /** Number and time of the run admitted last. */
  get lastSeq(): number {
    return this.#lastSeq;
  }
  get latestCreatedAtMs(): number {
    return this.#lastCreatedAtMs;
  }

  // Idempotency

  keyRecord(key: string, nowMs: number): KeyRecord | undefined {
    const [run] = this.#sql
      .exec<{
        seq: number;
        fingerprint: string;
        run_id: string;
        slot: number;
        created_at_ms: number;
      }>(
        "SELECT seq, fingerprint, run_id, slot, created_at_ms FROM runs WHERE idempotency_key = ?",
        key,
      )
      .toArray();
    if (run === undefined) {
      return undefined;
    }
    const { seq, fingerprint, run_id } = run;
    return run.created_at_ms > nowMs - IDEMPOTENCY_KEPT_MS
      ? { kind: "kept", fingerprint, run_id, status_code: run.slot === SLOT.refused ? 402 : 202 }
      : { kind: "lapsed", seq };
  }

  /** Frees a key for another run. */
  forgetKey(seq: number): void {
    this.#sql.exec("UPDATE runs SET idempotency_key = NULL, fingerprint = NULL WHERE seq = ?", seq);
  }

  // Runs

  /** Returns its number. The key, if any, must be free. */
  insertRun(
    start: AdmittedStart,
    run: {
      readonly phase: number;
      readonly slot: number;
      readonly error: { code: string; message: string } | null;
      readonly idempotency: { readonly key: string; readonly fingerprint: string } | null;
      readonly labels: Partial<RunLabels> | undefined;
      /** The lowest number of a fresh run other than this one. */
      readonly pendingFrom: number | undefined;
    },
  ): number {
    const { idempotency, labels } = run;
    const isEnded = run.phase === PHASE.ended;
    const status: RunStatus = isEnded ? "failed" : "pending";
    const seq = this.#lastSeq + 1;
    const workflow = this.#workflowOf(start.workflow_id);
    this.#sql.exec(
      `INSERT INTO runs (seq, run_id, workflow, workflow_id, workflow_name, workflow_version,
         interface_id, status, progress, credits_used_milli, error_code, error_message, created_at_ms,
         completed_at_ms, phase, slot, is_live, fresh_from, idempotency_key, fingerprint,
         ${LABELS.join(", ")}, origin, start)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      seq,
      start.run_id,
      workflow,
      start.workflow_id,
      start.workflow_name,
      start.workflow_version,
      start.interface_id,
      status,
      isEnded ? 100 : 0,
      isEnded ? 0 : null,
      run.error?.code ?? null,
      run.error?.message ?? null,
      start.created_at_ms,
      isEnded ? start.created_at_ms : null,
      run.phase,
      run.slot,
      run.slot === SLOT.held ? 1 : 0,
      run.pendingFrom ?? seq,
      idempotency?.key ?? null,
      idempotency?.fingerprint ?? null,
      ...LABELS.map((name) => labels?.[name] ?? null),
      unindexedOrigin(start.origin, start.is_draft),
      isEnded ? null : startText(start),
    );
    this.#lastSeq = seq;
    this.#lastCreatedAtMs = start.created_at_ms;
    this.#index.added(seq, workflow, status);
    return seq;
  }

  run(runId: string): KnownRun | undefined {
    return this.#sql
      .exec<KnownRun & Record<string, SqlStorageValue>>(
        `SELECT seq, run_id, workflow, workflow_id, status, phase, slot, is_live, batch,
           CASE WHEN start IS NULL THEN 0 WHEN start = '' THEN 2 ELSE 1 END AS has_start,
           iif(substr(start, 1, 14) = '{"values_key":', start ->> 'values_key', NULL) AS values_key
         FROM runs WHERE run_id = ?`,
        runId,
      )
      .toArray()[0];
  }

  row(runId: string): RunIndexRow | undefined {
    return this.#sql.exec<Row>(`SELECT ${COLUMNS} FROM runs WHERE run_id = ?`, runId).toArray()[0];
  }

  /** A run goes from pending to running to cancelling and never back. The start is no longer needed. */
  acknowledge(run: KnownRun, { started_at_ms, is_cancelling = false }: AcknowledgeRequest): void {
    if (run.phase === PHASE.ended) {
      this.dropStart(run);
      return;
    }
    const status =
      is_cancelling || run.status === "cancelling"
        ? "cancelling"
        : started_at_ms === null
          ? run.status
          : "running";
    this.#sql.exec(
      // SQLite updates the indexes of every column that SET lists, changed or not.
      `UPDATE runs SET phase = 1, started_at_ms = coalesce(started_at_ms, ?), status = ?,
         ${run.is_live === 1 ? "" : "is_live = 1,"} due_at_ms = NULL, start = NULL WHERE seq = ?`,
      started_at_ms,
      status,
      run.seq,
    );
    this.starts.dropPieces(run);
    this.#index.changed(run, status, this.#lastSeq);
  }

  /** The end of a live run. `keepsStart`: someone must still learn of it, and only its start reminds the run. */
  close(run: KnownRun, request: CloseRequest, creditsUsedMilli: number, keepsStart: boolean): void {
    const { reused_iterations: reused = 0 } = request;
    this.#sql.exec(
      `UPDATE runs SET phase = 2, is_live = 0, status = ?, progress = ?, credits_used_milli = ?,
         error_code = ?, error_message = ?, error_node_id = ?, error_indices = ?,
         started_at_ms = coalesce(?, started_at_ms),
         origin = iif(? > 0, json_set(coalesce(origin, '{}'), '$.reused_iterations', ?), origin),
         completed_at_ms = ?${keepsStart ? "" : ", due_at_ms = NULL, start = NULL"} WHERE seq = ?`,
      request.status,
      request.progress,
      creditsUsedMilli,
      request.error_code,
      request.error_message,
      request.error_node_id ?? null,
      request.error_indices == null ? null : JSON.stringify(request.error_indices),
      request.started_at_ms,
      reused,
      reused,
      request.completed_at_ms,
      run.seq,
    );
    if (!keepsStart) {
      this.starts.dropPieces(run);
    }
    this.#index.changed(run, request.status, this.#lastSeq);
  }

  /** No receiver of its end is left. */
  dropStart(run: KnownRun): void {
    if (run.has_start > 0) {
      this.#sql.exec("UPDATE runs SET due_at_ms = NULL, start = NULL WHERE seq = ?", run.seq);
      this.starts.dropPieces(run);
    }
  }

  /** Those of the runs that exist, and the ends of those that have ended. */
  batchRuns(runIds: readonly string[]): { known: readonly string[]; ends: readonly RunEndRow[] } {
    const rows = this.#sql
      .exec<RunEndRow & { phase: number } & Record<string, SqlStorageValue>>(
        `SELECT run_id, phase, status, coalesce(credits_used_milli, 0) AS credits_used_milli,
           error_code, error_message, coalesce(completed_at_ms, 0) AS completed_at_ms
         FROM runs WHERE run_id IN (SELECT value FROM json_each(?))`,
        JSON.stringify(runIds),
      )
      .toArray();
    return {
      known: rows.map((row) => row.run_id),
      ends: rows.flatMap(({ phase, ...end }) => (phase === PHASE.ended ? [end] : [])),
    };
  }

  /** The number of live runs of each batch that has any. */
  liveOfBatches(): ReadonlyMap<string, number> {
    const live = new Map<string, number>();
    const rows = this.#sql.exec<{ batch: string }>(
      `SELECT batch FROM runs INDEXED BY runs_live WHERE is_live = 1 AND batch IS NOT NULL
       UNION ALL SELECT batch FROM runs
         WHERE seq >= ? AND is_live = 0 AND phase < 2 AND batch IS NOT NULL`,
      this.#pendingFrom,
    );
    for (const { batch } of rows) {
      live.set(batch, (live.get(batch) ?? 0) + 1);
    }
    return live;
  }

  /** Live runs of one workflow. */
  countLive(workflowId: string): number {
    return this.#index.countWithStatus(workflowId, ["pending", "running", "cancelling"]);
  }

  /** The runs in the index of live runs: all with a slot, and all that wait for one. */
  countLiveIndexed(): { taken: number; held: number } {
    return this.#sql
      .exec<{ taken: number; held: number }>(
        `SELECT (SELECT count(*) FROM runs INDEXED BY runs_live WHERE is_live = 1 AND slot <> 1)
           AS taken,
           (SELECT count(*) FROM runs INDEXED BY runs_live WHERE is_live = 1 AND slot = 1) AS held`,
      )
      .one();
  }

  /** Undefined if `starting_after` is not a run of this workspace. */
  list(filter: RunListFilter): RunListPage | undefined {
    let before: number | null = null;
    if (filter.starting_after !== null) {
      before =
        this.#sql
          .exec<{ seq: number }>("SELECT seq FROM runs WHERE run_id = ?", filter.starting_after)
          .toArray()[0]?.seq ?? null;
      if (before === null) {
        return undefined;
      }
    }
    const { total, page } = this.#index.find(filter, before);
    const rows = this.#sql
      .exec<Row>(
        `SELECT ${COLUMNS} FROM runs WHERE seq IN (SELECT value FROM json_each(?))
         ORDER BY seq DESC`,
        JSON.stringify(page.slice(0, filter.limit)),
      )
      .toArray();
    return { rows, has_more: page.length > filter.limit, total_count: total };
  }

  /** Starts that were never repeated, oldest first; for an instance that has just woken. */
  pendingStarts(): PendingStart[] {
    return this.starts.pending(this.#pendingFrom);
  }

  // Slots

  maxConcurrent(): number {
    return (
      this.#sql.exec<{ n: number }>("SELECT max_concurrent AS n FROM settings").toArray()[0]?.n ?? 0
    );
  }

  setMaxConcurrent(max: number): void {
    this.#sql.exec(
      `INSERT INTO settings (id, max_concurrent) VALUES (1, ?1)
       ON CONFLICT (id) DO UPDATE SET max_concurrent = ?1`,
      max,
    );
  }

  /** Gives slots to the runs that have waited longest; returns how many got one. */
  promoteHeld(count: number): number {
    return this.#sql
      .exec(
        `UPDATE runs SET slot = 2 WHERE seq IN
           (SELECT seq FROM runs INDEXED BY runs_live WHERE is_live = 1 AND slot = 1
            ORDER BY seq LIMIT ?) RETURNING seq`,
        count,
      )
      .toArray().length;
  }

  #last(): { seq: number; at: number; fresh_from: number } {
    return (
      this.#sql
        .exec<{ seq: number; at: number; fresh_from: number }>(
          "SELECT seq, created_at_ms AS at, fresh_from FROM runs ORDER BY seq DESC LIMIT 1",
        )
        .toArray()[0] ?? { seq: 0, at: 0, fresh_from: 1 }
    );
  }

  /** The number of a workflow in the index of runs. */
  #workflowOf(workflowId: string): number {
    const known = this.#workflows.get(workflowId);
    if (known !== undefined) {
      return known;
    }
    const workflow =
      this.#sql
        .exec<{ workflow: number }>(
          "SELECT workflow FROM run_workflows WHERE workflow_id = ?",
          workflowId,
        )
        .toArray()[0]?.workflow ??
      this.#sql
        .exec<{ workflow: number }>(
          "INSERT INTO run_workflows (workflow_id) VALUES (?) RETURNING workflow",
          workflowId,
        )
        .one().workflow;
    this.#workflows.set(workflowId, workflow);
    return workflow;
  }
}
