import type {
  ZipClaim,
  ZipEntry,
  ZipRequest,
  ZipStatus,
} from "../../src/contracts/runs/zip-export.ts";
import { openDatabase } from "../shared/migrations.ts";
import { NamedValues } from "../shared/named-values.ts";
import { ZIP_SCHEMA, ZIP_TABLES } from "./zip-schema.ts";

export interface ZipLease {
  readonly fence: number;
  readonly until_ms: number;
  readonly boot: string;
}

/** `planning` until the run's outputs were listed; `ended` after they have expired. */
export type ZipPhase = "planning" | "building" | "completed" | "failed" | "ended";

interface ArchiveRow extends Record<string, SqlStorageValue> {
  zip_id: number;
  key: string;
  size: number;
  files: number;
  upload_id: string | null;
  sent: number;
  is_done: number;
}

export interface PreparedArchive {
  readonly key: string;
  readonly size_bytes: number;
  readonly file_count: number;
}

/** SQL of one export. Synchronous, like the storage under it. */
export class ZipStore {
  readonly #storage: DurableObjectStorage;
  readonly #sql: SqlStorage;
  readonly #values: NamedValues;
  #exists: boolean;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    this.#sql = storage.sql;
    this.#values = new NamedValues(storage.sql);
    this.#exists = openDatabase(storage, ZIP_SCHEMA).version > 0;
  }

  /** False until an export was requested. */
  get exists(): boolean {
    return this.#exists;
  }

  transaction<T>(work: () => T): T {
    return this.#storage.transactionSync(work);
  }

  /** A new export, in place of one that failed. */
  begin(request: ZipRequest): void {
    this.transaction(() => {
      this.#sql.exec(ZIP_TABLES);
      const fence = this.#values.number("fence");
      this.#values.clear();
      for (const table of ["archive", "entry", "part"]) {
        this.#sql.exec(`DELETE FROM ${table}`);
      }
      // Fences continue, so that a builder of the failed export stays locked out.
      this.#values.put("fence", fence);
      this.#values.put("request", JSON.stringify(request));
      this.#values.put("phase", "planning" satisfies ZipPhase);
    });
    this.#exists = true;
  }

  get request(): ZipRequest {
    return JSON.parse(String(this.#values.get("request"))) as ZipRequest;
  }

  get phase(): ZipPhase {
    return this.#values.get("phase") as ZipPhase;
  }

  clearPreparation(): void {
    this.#sql.exec("DELETE FROM entry");
  }

  addEntries(entries: readonly ZipEntry[], zipIds: readonly number[]): void {
    const rows = entries.map((entry, i) => ({ ...entry, zip_id: zipIds[i] }));
    this.#sql.exec(
      `INSERT INTO entry (seq, zip_id, name, size, key, node, ord)
       SELECT value ->> 'seq', value ->> 'zip_id', value ->> 'name', value ->> 'size_bytes',
         value ->> 'key', value ->> 'node', value ->> 'ord' FROM json_each(?)`,
      JSON.stringify(rows),
    );
  }

  finishPreparation(archives: readonly PreparedArchive[]): void {
    if (this.phase !== "planning") {
      // Ended after the last page was listed.
      return;
    }
    this.transaction(() => {
      for (const [index, { key, size_bytes, file_count }] of archives.entries()) {
        this.#sql.exec(
          "INSERT INTO archive (zip_id, key, size, files, sent, is_done) VALUES (?, ?, ?, ?, 0, 0)",
          index + 1,
          key,
          size_bytes,
          file_count,
        );
      }
      const { files, bytes } = this.#sql
        .exec<{ files: number; bytes: number }>(
          "SELECT count(*) AS files, coalesce(sum(size), 0) AS bytes FROM entry",
        )
        .one();
      this.#values.put("total_files", files);
      this.#values.put("total_bytes", bytes);
      // Failures while listing do not count as failures while building.
      this.#values.put("failures", 0);
      this.#values.put("phase", "building" satisfies ZipPhase);
    });
  }

  get lease(): ZipLease | null {
    const text = this.#values.get("lease");
    return text === undefined ? null : (JSON.parse(String(text)) as ZipLease);
  }

  /** Leases the first unfinished archive; null if all are done. */
  leaseNext(untilMs: number, boot: string): ZipClaim | null {
    return this.transaction(() => {
      const [row] = this.#sql
        .exec<ArchiveRow>("SELECT * FROM archive WHERE is_done = 0 ORDER BY zip_id LIMIT 1")
        .toArray();
      if (row === undefined) {
        return null;
      }
      const fence = this.#values.number("fence") + 1;
      this.#values.put("fence", fence);
      this.#putLease({ fence, until_ms: untilMs, boot });
      const { run_id, workspace_id, run_completed_at_ms } = this.request;
      return {
        fence,
        run_id,
        workspace_id,
        modified_ms: run_completed_at_ms,
        zip_id: row.zip_id,
        key: row.key,
        size_bytes: row.size,
        upload_id: row.upload_id,
        parts: this.#sql
          .exec<{ number: number; etag: string }>(
            "SELECT number, etag FROM part WHERE zip_id = ? ORDER BY number",
            row.zip_id,
          )
          .toArray(),
      };
    });
  }

  extend(lease: ZipLease, untilMs: number): void {
    this.#putLease({ ...lease, until_ms: untilMs });
  }

  release(): void {
    this.#values.delete("lease");
  }

  entries(zipId: number, afterSeq: number, limit: number): ZipEntry[] {
    return this.#sql
      .exec<ZipEntry & Record<string, SqlStorageValue>>(
        `SELECT seq, name, size AS size_bytes, key, node, ord FROM entry
         WHERE seq > ? AND zip_id = ? ORDER BY seq LIMIT ?`,
        afterSeq,
        zipId,
        limit,
      )
      .toArray();
  }

  /** The archive under lease, which is the first unfinished one. */
  beganUpload(uploadId: string): void {
    this.#sql.exec(`UPDATE archive SET upload_id = ? WHERE zip_id = ${CURRENT}`, uploadId);
  }

  addPart(number: number, etag: string, sentBytes: number): void {
    this.transaction(() => {
      this.#sql.exec(
        `INSERT OR REPLACE INTO part (zip_id, number, etag) VALUES (${CURRENT}, ?, ?)`,
        number,
        etag,
      );
      this.#sql.exec(`UPDATE archive SET sent = ? WHERE zip_id = ${CURRENT}`, sentBytes);
      this.#values.put("failures", 0);
    });
  }

  /** Discards the parts of the archive under lease, because its upload is not trusted. Returns the upload. */
  dropUpload(): { readonly key: string; readonly upload_id: string } | null {
    return this.transaction(() => {
      const [row] = this.#sql
        .exec<ArchiveRow>(`SELECT * FROM archive WHERE zip_id = ${CURRENT}`)
        .toArray();
      if (row === undefined || row.upload_id === null) {
        return null;
      }
      this.#sql.exec("DELETE FROM part WHERE zip_id = ?", row.zip_id);
      this.#sql.exec("UPDATE archive SET upload_id = NULL, sent = 0 WHERE zip_id = ?", row.zip_id);
      return { key: row.key, upload_id: row.upload_id };
    });
  }

  /** The archive under lease is done; the last one ends the export. */
  completeArchive(nowMs: number): void {
    this.transaction(() => {
      this.#sql.exec(`UPDATE archive SET is_done = 1, sent = size WHERE zip_id = ${CURRENT}`);
      this.#values.put("failures", 0);
      this.release();
      const open = this.#sql.exec("SELECT 1 FROM archive WHERE is_done = 0 LIMIT 1").toArray();
      if (open.length === 0) {
        this.#values.put("phase", "completed" satisfies ZipPhase);
        this.#values.put("completed_at", nowMs);
        // Nothing reads them again, and a run with many outputs has many.
        this.#sql.exec("DELETE FROM part");
        this.#sql.exec("DELETE FROM entry");
      }
    });
  }

  countFailure(): number {
    const failures = this.#values.number("failures") + 1;
    this.#values.put("failures", failures);
    return failures;
  }

  fail(message: string): void {
    this.transaction(() => {
      this.#values.put("phase", "failed" satisfies ZipPhase);
      this.#values.put("error", message);
      this.release();
    });
  }

  /** Deletes the plan and the state of the parts. The lease stays, to determine when its builder is gone. */
  end(): void {
    this.transaction(() => {
      this.#values.put("phase", "ended" satisfies ZipPhase);
      for (const table of ["archive", "entry", "part"]) {
        this.#sql.exec(`DELETE FROM ${table}`);
      }
    });
  }

  /** Keys of all archives, finished or not. */
  archiveKeys(): string[] {
    return this.#archives().map(({ key }) => key);
  }

  archiveKey(zipId: number): string | null {
    return this.#archives().find((row) => row.zip_id === zipId && row.is_done === 1)?.key ?? null;
  }

  status(): ZipStatus {
    const { phase } = this;
    const archives = this.#archives();
    const size = archives.reduce((sum, row) => sum + row.size, 0);
    const sent = archives.reduce((sum, row) => sum + row.sent, 0);
    const completedAtMs = this.#values.get("completed_at");
    return {
      status: phase === "planning" ? "building" : phase === "ended" ? "not_requested" : phase,
      progress_percent:
        phase === "completed"
          ? 100
          : size === 0
            ? 0
            : Math.min(99, Math.floor((sent / size) * 100)),
      total_outputs: this.#values.number("total_files"),
      total_size_bytes: this.#values.number("total_bytes"),
      completed_at:
        completedAtMs === undefined ? null : new Date(Number(completedAtMs)).toISOString(),
      error_message: phase === "failed" ? String(this.#values.get("error")) : null,
      zips:
        phase === "failed"
          ? []
          : archives
              .filter(({ is_done }) => is_done === 1)
              .map((row) => ({
                zip_id: row.zip_id,
                part_index: row.zip_id,
                total_parts: archives.length,
                download_file_name: row.key.slice(row.key.lastIndexOf("/") + 1),
                size_bytes: row.size,
                file_count: row.files,
              })),
    };
  }

  #archives(): ArchiveRow[] {
    return this.#sql.exec<ArchiveRow>("SELECT * FROM archive ORDER BY zip_id").toArray();
  }

  #putLease(lease: ZipLease): void {
    this.#values.put("lease", JSON.stringify(lease));
  }
}

const CURRENT = "(SELECT min(zip_id) FROM archive WHERE is_done = 0)";
