import { DurableObject } from "cloudflare:workers";
import type {
  BatchExport,
  BatchExportsApi,
  ExportRequest,
} from "../../src/contracts/batches/batch-export.ts";
import { BUILD_BYTES } from "../../src/domain/exports/build-archive.ts";
import { ARCHIVE_BYTES, buildSlice } from "../../src/domain/exports/batch/build-export.ts";
import {
  ExportGoneError,
  type ExportHost,
  ExportTooLargeError,
} from "../../src/domain/exports/batch/export-host.ts";
import { columnsOfRuns, readItems } from "../../src/domain/exports/batch/read-rows.ts";
import { readOutputs } from "../../src/domain/exports/batch/run-outputs.ts";
import { describeCause } from "../../src/lib/errors/describe-cause.ts";
import { MemoryGate } from "../../src/lib/memory/memory-gate.ts";
import { fail, ok, type Result } from "../../src/lib/result.ts";
import { isRunnerEnvUsable } from "../../src/platform/check-env.ts";
import type { RunnerEnv } from "../../src/platform/env.ts";
import { createLogger } from "../../src/platform/logger.ts";
import { parseEntries } from "../shared/entries.ts";
import { ObjectAlarm } from "../shared/object-alarm.ts";
import { EXPORT_ENTRIES } from "./export-entries.ts";
import { ExportSpool, SupersededError } from "./export-spool.ts";
import { ExportStore } from "./export-store.ts";

/** Interval after which a build that was cut off goes on. */
const WATCH_MS = 5_000;
const LOCAL_WATCH_MS = 1_000;
/** An invocation that lasts longer is ended by the platform. */
const SLICE_MS = 20_000;
/** Items and files of one invocation, which may make 10,000 calls. */
const SLICE_READS = 2_000;
/** Consecutive failures without a commit. */
const FAILURES_MAX = 5;

const CONTENT_TYPES = {
  csv: "text/csv; charset=utf-8",
  json: "application/json",
  ndjson: "application/x-ndjson",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  zip: "application/zip",
} as const;

type Asked<M extends keyof BatchExportsApi> = Parameters<BatchExportsApi[M]>[0];

/**
 * The export of one batch in one format, named by both. It reads the batch and its runs, and builds the files in its alarm,
 * a slice in each invocation (docs/decisions/exports.md).
 */
export class BatchExportObject extends DurableObject<RunnerEnv> implements BatchExportsApi {
  readonly #store = new ExportStore(this.ctx.storage);
  readonly #memory = new MemoryGate();
  readonly #watchMs = this.env.ENVIRONMENT === "local" ? LOCAL_WATCH_MS : WATCH_MS;
  readonly #alarm = new ObjectAlarm(this.ctx.storage, {
    object: "batch_export",
    failedEvent: "batch_export.alarm_failed",
    retryMs: this.#watchMs,
  });

  async request(
    request: ExportRequest,
  ): Promise<Result<{ existed: boolean; status: BatchExport }>> {
    if (!this.#isThere(request) || this.#store.phase === "failed" || this.#differs(request)) {
      const lost = await this.#lostRun(request);
      if (lost !== null) {
        return fail(
          "outputs_expired",
          `The outputs of the batch's execution ${lost} have expired and were deleted. Create the batch again to export its results.`,
        );
      }
      // First, so that a build under way stores no file after the others are deleted.
      this.#store.supersede();
      await this.#forgetFiles();
      this.#store.begin(request);
      this.#alarm.moveTo(Date.now() + 1);
    }
    const status = this.#store.status();
    return ok({ existed: status.status === "completed", status });
  }

  status(request: Asked<"status">): Promise<BatchExport> {
    return Promise.resolve(
      this.#isThere(request) ? this.#store.status() : notRequested(request.format),
    );
  }

  fileKey(request: Asked<"fileKey">): Promise<string | null> {
    return Promise.resolve(
      this.#isThere(request) && this.#store.phase === "completed"
        ? this.#store.fileKey(request.part)
        : null,
    );
  }

  override alarm(): Promise<void> {
    return this.#alarm.fire(async () => {
      const { phase } = this.#store;
      if (phase === "building") {
        await this.#build();
      } else if (phase === "completed") {
        await this.#expire();
      }
    });
  }

  async #build(): Promise<void> {
    // If this invocation is cut off, the next one goes on.
    this.#alarm.arm(Date.now() + this.#watchMs);
    const { generation } = this.#store;
    const isCurrent = () => this.#store.generation === generation;
    try {
      const isDone = await this.#memory.use(BUILD_BYTES, () => this.#slice());
      if (isCurrent()) {
        if (isDone) {
          this.#store.complete(Date.now());
        }
        this.#alarm.moveTo(isDone ? this.#store.expiresAtMs : Date.now() + 1);
      }
    } catch (error) {
      if (error instanceof SupersededError || !isCurrent()) {
        return;
      }
      const message = this.#finalMessage(error);
      this.#log("batch_export.build_failed", error);
      if (message === undefined) {
        this.#alarm.moveTo(Date.now() + this.#watchMs);
        return;
      }
      await this.#forgetFiles();
      if (isCurrent()) {
        this.#store.fail(message, error instanceof ExportGoneError ? error.run : null);
      }
    }
  }

  /** Builds for a while; true once the export is complete. */
  async #slice(): Promise<boolean> {
    const { request } = this.#store;
    const host = this.#host(request);
    const batch = await host.batch.read({ v: 1, workspace_id: request.workspace_id, wait_ms: 0 });
    if (!batch.ok || batch.value.attempt !== request.attempt) {
      // The batch was retried: its results of this attempt are no longer asked for.
      await this.#forgetFiles();
      this.#store.end();
      throw new SupersededError("The batch was retried.");
    }
    const sink = new ExportSpool(this.#store, this.env.FILES, CONTENT_TYPES[request.format]);
    let { columns } = this.#store;
    if (columns === null) {
      columns = await columnsOfRuns(host, request);
      this.#store.putColumns(columns);
    }
    const limits = {
      untilMs: Date.now() + SLICE_MS,
      reads: SLICE_READS,
      archiveBytes: ARCHIVE_BYTES,
    };
    return await buildSlice({ request, columns, host, sink, limits }, this.#store.state);
  }

  /** Why the export fails for good; undefined for an error after which it goes on. */
  #finalMessage(error: unknown): string | undefined {
    if (error instanceof ExportGoneError) {
      return `${error.message} Create the batch again to export its results.`;
    }
    if (error instanceof ExportTooLargeError) {
      return `${error.message} Export it as ndjson, or read the executions one by one.`;
    }
    return this.#store.countFailure() >= FAILURES_MAX
      ? "The results could not be read. Request the export again."
      : undefined;
  }

  async #expire(): Promise<void> {
    const { expiresAtMs, generation } = this.#store;
    if (expiresAtMs > Date.now()) {
      this.#alarm.arm(expiresAtMs);
      return;
    }
    await this.#forgetFiles();
    if (this.#store.generation === generation) {
      this.#store.end();
    }
  }

  /** A run whose outputs have expired, of those that expire first; null if none has. */
  async #lostRun(request: ExportRequest): Promise<string | null> {
    const host = this.#host(request);
    const place = { workspaceId: request.workspace_id, baseUrl: request.base_url };
    try {
      const { lostRun: runId } = this.#store;
      if (runId !== null) {
        await readOutputs(host, { ...place, runId });
      }
      for await (const read of readItems(host, request, 0)) {
        if (read.place !== null) {
          break;
        }
      }
      return null;
    } catch (error) {
      if (error instanceof ExportGoneError && error.run !== null) {
        return error.run;
      }
      throw error;
    }
  }

  #host(request: ExportRequest): ExportHost {
    const { FILES, BATCH, RUN } = this.env;
    return {
      bucket: FILES,
      batch: BATCH.get(BATCH.idFromName(request.batch_id)),
      run: (id) => RUN.get(RUN.idFromName(id)),
      nowMs: Date.now,
    };
  }

  /** Deletes the bytes of what was built so far. */
  async #forgetFiles(): Promise<void> {
    const stored = this.#store.stored();
    for (const { key, upload_id } of stored) {
      if (upload_id !== null) {
        // R2 drops an incomplete upload after seven days, so an abort only frees it sooner.
        await this.env.FILES.resumeMultipartUpload(key, upload_id)
          .abort()
          .catch(() => undefined);
      }
    }
    if (stored.length > 0) {
      await this.env.FILES.delete(stored.map(({ key }) => key));
    }
  }

  /** Whether the export of this attempt was requested and has not expired. */
  #isThere({ workspace_id, attempt }: Asked<"status">): boolean {
    const { phase } = this.#store;
    if (phase === "none") {
      return false;
    }
    const { request } = this.#store;
    const isKept = phase !== "completed" || this.#store.expiresAtMs > Date.now();
    return isKept && request.workspace_id === workspace_id && request.attempt === attempt;
  }

  /** Whether the requested options would give another file than those of the present export. */
  #differs({ inputs, raw, format }: ExportRequest): boolean {
    const { request } = this.#store;
    const hasRaw = format === "csv" || format === "zip";
    return request.inputs !== inputs || (hasRaw && request.raw !== raw);
  }

  #log(event: string, error: unknown): void {
    createLogger({ worker: "runner", object: "batch_export" }).error(event, {
      cause: describeCause(error),
    });
  }
}

function notRequested(format: BatchExport["format"]): BatchExport {
  return {
    format,
    status: "not_requested",
    progress_percent: 0,
    row_count: 0,
    size_bytes: 0,
    completed_at: null,
    error_message: null,
    files: [],
  };
}

parseEntries<BatchExportsApi>(BatchExportObject, isRunnerEnvUsable, EXPORT_ENTRIES);
