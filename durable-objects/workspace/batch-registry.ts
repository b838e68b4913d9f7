import type {
  BatchEntry,
  BatchListFilter,
  BatchListPage,
  RegisterBatchOutcome,
} from "../../src/contracts/workspaces/admission.ts";
import type { BatchStatus } from "../../src/contracts/batches/batch-states.ts";
import { compareWithRecord, IDEMPOTENCY_KEPT_MS } from "../../src/lib/idempotency-record.ts";

type Row = BatchEntry & Record<string, SqlStorageValue>;

interface Idempotency {
  readonly key: string;
  readonly fingerprint: string;
}

const COLUMNS = "batch_id, workflow_id, client_reference, created_at_ms, status";

/** The batches of a workspace, for lists and for the keys of their creation. */
export class BatchRegistry {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** The use of a key that is not older than keys are kept; null if there is none. */
  recall(
    given: Idempotency | null,
    nowMs: number,
  ): Exclude<RegisterBatchOutcome, { kind: "registered" }> | null {
    const row = given === null ? undefined : this.#byKey(given.key);
    if (given === null || row === undefined || isLapsed(row, nowMs)) {
      return null;
    }
    return compareWithRecord(row, given.fingerprint) === "conflict"
      ? { kind: "idempotency_conflict" }
      : { kind: "replayed", batch_id: row.batch_id };
  }

  has(batchId: string): boolean {
    return this.#sql.exec("SELECT 1 FROM batches WHERE batch_id = ?", batchId).toArray().length > 0;
  }

  /** The key, if any, must be free. */
  add(entry: BatchEntry, idempotency: Idempotency | null): void {
    if (idempotency !== null) {
      this.#sql.exec(
        "UPDATE batches SET idempotency_key = NULL, fingerprint = NULL WHERE idempotency_key = ?",
        idempotency.key,
      );
    }
    this.#sql.exec(
      `INSERT INTO batches (batch_id, workflow_id, client_reference, created_at_ms, status,
         idempotency_key, fingerprint) VALUES (?, ?, ?, ?, ?, ?, ?)`,
      entry.batch_id,
      entry.workflow_id,
      entry.client_reference,
      entry.created_at_ms,
      entry.status,
      idempotency?.key ?? null,
      idempotency?.fingerprint ?? null,
    );
  }

  /** The workflow of a batch; undefined if there is no such batch. */
  workflowOf(batchId: string): string | undefined {
    return this.#sql
      .exec<{ workflow_id: string }>("SELECT workflow_id FROM batches WHERE batch_id = ?", batchId)
      .toArray()[0]?.workflow_id;
  }

  /** Returns the workflow of the batch. */
  setStatus(batchId: string, status: BatchStatus): string | undefined {
    this.#sql.exec(
      "UPDATE batches SET status = ?1 WHERE batch_id = ?2 AND status <> ?1",
      status,
      batchId,
    );
    return this.workflowOf(batchId);
  }

  /** Batches of a workflow that have not ended. */
  countLive(workflowId: string): number {
    return this.#sql
      .exec<{ n: number }>(
        "SELECT count(*) AS n FROM batches WHERE workflow_id = ? AND status IN ('pending', 'running')",
        workflowId,
      )
      .one().n;
  }

  /** Undefined if `starting_after` is not a batch of this workspace. */
  list(filter: BatchListFilter): BatchListPage | undefined {
    let before: number | null = null;
    if (filter.starting_after !== null) {
      const [row] = this.#sql
        .exec<{ seq: number }>("SELECT seq FROM batches WHERE batch_id = ?", filter.starting_after)
        .toArray();
      if (row === undefined) {
        return undefined;
      }
      before = row.seq;
    }
    const where = `(?1 IS NULL OR status = ?1) AND (?2 IS NULL OR workflow_id = ?2)
      AND (?3 IS NULL OR client_reference = ?3) AND (?4 IS NULL OR created_at_ms >= ?4)
      AND (?5 IS NULL OR created_at_ms < ?5)`;
    const values = [
      filter.status,
      filter.workflow_id,
      filter.client_reference,
      filter.created_after_ms,
      filter.created_before_ms,
    ];
    const { n } = this.#sql
      .exec<{ n: number }>(`SELECT count(*) AS n FROM batches WHERE ${where}`, ...values)
      .one();
    const rows = this.#sql
      .exec<Row>(
        `SELECT ${COLUMNS} FROM batches WHERE ${where} AND (?6 IS NULL OR seq < ?6)
         ORDER BY seq DESC LIMIT ?7`,
        ...values,
        before,
        filter.limit + 1,
      )
      .toArray();
    return {
      rows: rows.slice(0, filter.limit),
      has_more: rows.length > filter.limit,
      total_count: n,
    };
  }

  #byKey(key: string) {
    return this.#sql
      .exec<{ batch_id: string; fingerprint: string; created_at_ms: number }>(
        "SELECT batch_id, fingerprint, created_at_ms FROM batches WHERE idempotency_key = ?",
        key,
      )
      .toArray()[0];
  }
}

function isLapsed(row: { readonly created_at_ms: number }, nowMs: number): boolean {
  return row.created_at_ms <= nowMs - IDEMPOTENCY_KEPT_MS;
}
