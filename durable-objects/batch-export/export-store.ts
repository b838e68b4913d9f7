import type {
  BatchExport,
  ExportColumns,
  ExportRequest,
} from "../../src/contracts/batches/batch-export.ts";
import {
  type BuildState,
  NEW_BUILD,
  stageCount,
} from "../../src/domain/exports/batch/build-export.ts";
import { safeFileName } from "../../src/lib/files/safe-file-name.ts";
import { newFileToken } from "../../src/platform/file-token.ts";
import { openDatabase } from "../shared/migrations.ts";
import { NamedValues } from "../shared/named-values.ts";
import { EXPORT_SCHEMA, EXPORT_TABLES } from "./export-schema.ts";

/** `none` before the first request, and after the export has expired. */
export type ExportPhase = "none" | "building" | "completed" | "failed";

interface FileRow extends Record<string, SqlStorageValue> {
  part_index: number;
  key: string;
  size: number;
  upload_id: string | null;
  is_done: number;
}

const PAGE_ENTRIES = 1_000;

const TABLES = ["file", "piece", "part", "entry"] as const;

/** SQL of one export. Synchronous, like the storage under it. */
export class ExportStore {
  readonly #storage: DurableObjectStorage;
  readonly #sql: SqlStorage;
  readonly #values: NamedValues;
  #exists: boolean;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    this.#sql = storage.sql;
    this.#values = new NamedValues(storage.sql);
    this.#exists = openDatabase(storage, EXPORT_SCHEMA).version > 0;
  }

  transaction<T>(work: () => T): T {
    return this.#storage.transactionSync(work);
  }

  get phase(): ExportPhase {
    return this.#exists ? ((this.#values.get("phase") ?? "none") as ExportPhase) : "none";
  }

  /** Grows whenever the export begins or ends: a builder of an earlier one stops. */
  get generation(): number {
    return this.#exists ? this.#values.number("generation") : 0;
  }

  /** Throws if there is none. */
  get request(): ExportRequest {
    return JSON.parse(String(this.#values.get("request"))) as ExportRequest;
  }

  /** Null until they are known. */
  get columns(): ExportColumns | null {
    const text = this.#values.get("columns");
    return text === undefined ? null : (JSON.parse(String(text)) as ExportColumns);
  }

  putColumns(columns: ExportColumns): void {
    this.#values.put("columns", JSON.stringify(columns));
  }

  get state(): BuildState {
    const text = this.#values.get("state");
    return text === undefined ? NEW_BUILD : (JSON.parse(String(text)) as BuildState);
  }

  /** A builder of the present export stops; the export stays as it is. */
  supersede(): void {
    if (this.#exists) {
      this.#values.put("generation", this.generation + 1);
    }
  }

  /** A new export in place of any other. */
  begin(request: ExportRequest): void {
    if (!this.#exists) {
      this.#sql.exec(EXPORT_TABLES);
      this.#exists = true;
    }
    this.transaction(() => {
      this.#clear("building");
      this.#values.put("request", JSON.stringify(request));
      if (request.columns !== null) {
        this.putColumns(request.columns);
      }
      this.#addFile(1);
    });
  }

  /** Forgets the export. The bytes of its files are deleted before. */
  end(): void {
    if (this.#exists) {
      this.transaction(() => {
        this.#clear("none");
      });
    }
  }

  fail(message: string, run: string | null): void {
    this.transaction(() => {
      const { request } = this;
      this.#clear("failed");
      this.#values.put("request", JSON.stringify(request));
      this.#values.put("error", message);
      if (run !== null) {
        this.#values.put("lost_run", run);
      }
    });
  }

  complete(nowMs: number): void {
    this.transaction(() => {
      this.#values.put("phase", "completed" satisfies ExportPhase);
      this.#values.put("completed_at", nowMs);
      // The one after the last was begun and has no bytes.
      this.#sql.exec("DELETE FROM file WHERE is_done = 0");
    });
  }

  /** When the completed export is deleted. */
  get expiresAtMs(): number {
    return this.#values.number("completed_at") + this.request.kept_ms;
  }

  /** A run whose outputs were missing when the last build failed. */
  get lostRun(): string | null {
    const run = this.#exists ? this.#values.get("lost_run") : undefined;
    return run === undefined ? null : String(run);
  }

  countFailure(): number {
    const failures = this.#values.number("failures") + 1;
    this.#values.put("failures", failures);
    return failures;
  }

  /** Bytes of the present file that a commit has stored. */
  get committed(): number {
    return this.#values.number("length");
  }

  get sentPieces(): number {
    return this.#values.number("sent");
  }

  /** The file that is being written. */
  get file(): { readonly key: string; readonly upload_id: string | null } {
    const [row] = this.#files("is_done = 0");
    if (row === undefined) {
      throw new Error("The export has no file that is being written.");
    }
    return row;
  }

  /** Keys and uploads of all files, finished or not. */
  stored(): { readonly key: string; readonly upload_id: string | null }[] {
    return this.#exists ? this.#files("1") : [];
  }

  commit(state: BuildState, length: number): void {
    this.#values.put("state", JSON.stringify(state));
    this.#values.put("length", length);
    this.#values.put("failures", 0);
  }

  putPiece(n: number, bytes: Uint8Array): void {
    this.#sql.exec("INSERT OR REPLACE INTO piece (n, bytes) VALUES (?, ?)", n, copyOf(bytes));
  }

  /** Drops bytes after the first `length`, and returns those of the last piece. */
  dropUncommitted(length: number, pieceBytes: number): Uint8Array {
    const last = Math.floor(length / pieceBytes);
    const [row] = this.#sql
      .exec<{ bytes: ArrayBuffer }>("SELECT bytes FROM piece WHERE n = ?", last)
      .toArray();
    this.#sql.exec("DELETE FROM piece WHERE n > ?", last);
    return row === undefined
      ? new Uint8Array()
      : new Uint8Array(row.bytes).subarray(0, length % pieceBytes);
  }

  /** Committed bytes of the present file: up to `count` pieces. */
  pieces(from: number, count: number): Uint8Array {
    const rows = this.#sql
      .exec<{ bytes: ArrayBuffer }>(
        "SELECT bytes FROM piece WHERE n >= ? AND n < ? ORDER BY n",
        from,
        from + count,
      )
      .toArray();
    const bytes = new Uint8Array(rows.reduce((sum, row) => sum + row.bytes.byteLength, 0));
    let at = 0;
    for (const row of rows) {
      bytes.set(new Uint8Array(row.bytes), at);
      at += row.bytes.byteLength;
    }
    return bytes;
  }

  beganUpload(uploadId: string): void {
    this.#sql.exec("UPDATE file SET upload_id = ? WHERE is_done = 0", uploadId);
  }

  sentPart(number: number, etag: string, sentPieces: number): void {
    this.transaction(() => {
      this.#sql.exec("INSERT OR REPLACE INTO part (number, etag) VALUES (?, ?)", number, etag);
      this.#sql.exec("DELETE FROM piece WHERE n < ?", sentPieces);
      this.#values.put("sent", sentPieces);
    });
  }

  parts(): R2UploadedPart[] {
    return this.#sql
      .exec<{ number: number; etag: string }>("SELECT number, etag FROM part ORDER BY number")
      .toArray()
      .map(({ number, etag }) => ({ partNumber: number, etag }));
  }

  addEntries(entries: readonly Uint8Array[]): void {
    for (const entry of entries) {
      this.#sql.exec("INSERT INTO entry (bytes) VALUES (?)", copyOf(entry));
    }
  }

  *entries(): Iterable<Uint8Array> {
    // By pages: other statements run between two entries.
    for (let last = 0; ;) {
      const rows = this.#sql
        .exec<{ n: number; bytes: ArrayBuffer }>(
          "SELECT n, bytes FROM entry WHERE n > ? ORDER BY n LIMIT ?",
          last,
          PAGE_ENTRIES,
        )
        .toArray();
      for (const { bytes } of rows) {
        yield new Uint8Array(bytes);
      }
      if (rows.length < PAGE_ENTRIES) {
        return;
      }
      last = rows.at(-1)?.n ?? last;
    }
  }

  /** The present file is in the store; another one begins. */
  endFile(state: BuildState, sizeBytes: number): void {
    this.transaction(() => {
      this.#sql.exec("UPDATE file SET is_done = 1, size = ? WHERE is_done = 0", sizeBytes);
      for (const table of ["piece", "part", "entry"]) {
        this.#sql.exec(`DELETE FROM ${table}`);
      }
      this.#values.put("sent", 0);
      this.commit(state, 0);
      this.#addFile(this.#files("1").length + 1);
    });
  }

  fileKey(part: number): string | null {
    return this.#files("is_done = 1").find((row) => row.part_index === part)?.key ?? null;
  }

  /** The status of the export that was requested. */
  status(): BatchExport {
    const { phase, request } = this;
    const files = this.#files("is_done = 1");
    const size = files.reduce((sum, file) => sum + file.size, 0) + this.committed;
    const { stage, next } = this.state;
    const stages = stageCount(request);
    const done = (stage * request.total_items + next) / (stages * request.total_items);
    const isCompleted = phase === "completed";
    const completedAtMs = this.#values.get("completed_at");
    return {
      format: request.format,
      status: phase === "none" ? "not_requested" : phase,
      progress_percent: isCompleted ? 100 : Math.min(99, Math.floor(100 * done)),
      row_count: stage > 0 ? request.total_items : next,
      size_bytes: size,
      completed_at: isCompleted ? new Date(Number(completedAtMs)).toISOString() : null,
      error_message: phase === "failed" ? String(this.#values.get("error")) : null,
      files: isCompleted
        ? files.map((file) => ({
            part_index: file.part_index,
            total_parts: files.length,
            download_file_name: file.key.slice(file.key.lastIndexOf("/") + 1),
            size_bytes: file.size,
          }))
        : [],
    };
  }

  #files(where: string): FileRow[] {
    return this.#sql
      .exec<FileRow>(`SELECT * FROM file WHERE ${where} ORDER BY part_index`)
      .toArray();
  }

  #clear(phase: ExportPhase): void {
    const generation = this.generation + 1;
    this.#values.clear();
    for (const table of TABLES) {
      this.#sql.exec(`DELETE FROM ${table}`);
    }
    this.#values.put("generation", generation);
    this.#values.put("phase", phase);
  }

  /** Beside the files of runs, with 256 random bits like theirs, so that the files route serves it. */
  #addFile(partIndex: number): void {
    const { workspace_id, batch_id, workflow_name, format } = this.request;
    const part = partIndex === 1 ? "" : `-part-${String(partIndex)}`;
    const name = safeFileName(workflow_name.slice(0, 60), "results").replaceAll("%", "_");
    const file = `${name}-${batch_id.slice(-8)}${part}.${format}`;
    const key = `${workspace_id}/runs/${batch_id}/${newFileToken()}/${file}`;
    this.#sql.exec("INSERT INTO file (part_index, key) VALUES (?, ?)", partIndex, key);
  }
}

/** Bytes as SQLite takes them: a buffer of their own. */
function copyOf(bytes: Uint8Array): ArrayBuffer {
  return bytes.slice().buffer as ArrayBuffer;
}
