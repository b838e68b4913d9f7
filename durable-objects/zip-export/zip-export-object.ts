import { DurableObject } from "cloudflare:workers";
import type {
  ZipClaim,
  ZipEntry,
  ZipExportObjectApi,
  ZipProgress,
  ZipRequest,
  ZipStatus,
} from "../../src/contracts/runs/zip-export.ts";
import { isLeaseHeld } from "../../src/lib/lease.ts";
import { describeCause } from "../../src/lib/errors/describe-cause.ts";
import type { Env } from "../../src/platform/env.ts";
import { createLogger } from "../../src/platform/logger.ts";
import { runObject } from "../../src/storage/objects/run-object.ts";
import { prepareExport } from "./prepare-export.ts";
import { ZipStore } from "./zip-store.ts";
import { isEnvUsable } from "../../src/platform/check-env.ts";
import { ObjectAlarm } from "../shared/object-alarm.ts";
import { parseEntries } from "../shared/entries.ts";
import { ZIP_EXPORT_ENTRIES } from "./zip-entries.ts";

const LEASE_MS = 30_000;
/** Interval of checks of an unfinished export: a lost call or a dead builder costs at most this long. */
const WATCH_MS = 5_000;
const LOCAL_WATCH_MS = 1_000;
/** Consecutive failures without a single new part. */
const FAILURES_MAX = 5;
/** From this failure on, existing parts are discarded. */
const FAILURES_KEEPING_PARTS = 2;

/**
 * The ZIP export of one run, named by the run's id. It plans the archives and stores the state of their parts; the
 * runner builds them under a lease. An alarm is set while one is open.
 */
export class ZipExportObject extends DurableObject<Env> implements ZipExportObjectApi {
  readonly #store = new ZipStore(this.ctx.storage);
  readonly #watchMs = this.env.ENVIRONMENT === "local" ? LOCAL_WATCH_MS : WATCH_MS;
  readonly #alarm = new ObjectAlarm(this.ctx.storage, {
    object: "zip_export",
    failedEvent: "zip.alarm_failed",
    retryMs: this.#watchMs,
  });
  #planning: Promise<void> | undefined;

  async request(request: ZipRequest): Promise<{ existed: boolean; status: ZipStatus }> {
    const isKnown = this.#store.exists && this.#store.phase !== "failed";
    if (!isKnown) {
      const left = this.#store.exists ? this.#store.archiveKeys() : [];
      this.#store.begin(request);
      this.#alarm.arm(Date.now() + 1);
      if (left.length > 0) {
        await this.env.FILES.delete(left);
      }
    }
    const status = this.#store.status();
    return { existed: status.status === "completed", status };
  }

  status(request: { v: 1; workspace_id: string }): Promise<ZipStatus | null> {
    return Promise.resolve(
      this.#isOf(request.workspace_id) && this.#store.phase !== "ended"
        ? this.#store.status()
        : null,
    );
  }

  async end(request: { v: 1; workspace_id: string }): Promise<boolean> {
    if (!this.#isOf(request.workspace_id)) {
      return true;
    }
    const dropped = this.#store.dropUpload();
    this.#store.end();
    if (dropped !== null) {
      await this.#abort(dropped);
    }
    return !this.#isLeased();
  }

  archiveKey(request: { v: 1; workspace_id: string; zip_id: number }): Promise<string | null> {
    return Promise.resolve(
      this.#isOf(request.workspace_id) && this.#store.phase !== "failed"
        ? this.#store.archiveKey(request.zip_id)
        : null,
    );
  }

  async claim(_request: { v: 1 }): Promise<ZipClaim | null> {
    if (!this.#store.exists || this.#isLeased()) {
      return null;
    }
    if (this.#store.phase === "planning") {
      await this.#prepare();
    }
    // Another claim may have arrived while the outputs were listed.
    if (this.#store.phase !== "building" || this.#isLeased()) {
      return null;
    }
    return this.#store.leaseNext(Date.now() + LEASE_MS, this.env.BOOT_ID);
  }

  entries(request: {
    v: 1;
    zip_id: number;
    after_seq: number;
    limit: number;
  }): Promise<readonly ZipEntry[]> {
    const { zip_id, after_seq, limit } = request;
    return Promise.resolve(this.#store.entries(zip_id, after_seq, limit));
  }

  async report(request: { v: 1; fence: number; progress: ZipProgress }): Promise<boolean> {
    const lease = this.#store.exists ? this.#store.lease : null;
    if (lease === null || lease.fence !== request.fence || this.#store.phase !== "building") {
      return false;
    }
    const { progress } = request;
    switch (progress.kind) {
      case "alive":
        break;
      case "begun":
        this.#store.beganUpload(progress.upload_id);
        break;
      case "part":
        this.#store.addPart(progress.number, progress.etag, progress.sent_bytes);
        break;
      case "completed":
        this.#store.completeArchive(Date.now());
        return true;
      case "failed":
        await this.#failed(progress.message, progress.is_retryable);
        return true;
    }
    this.#store.extend(lease, Date.now() + LEASE_MS);
    return true;
  }

  override alarm(): Promise<void> {
    return this.#alarm.fire(async () => {
      const { phase } = this.#store;
      if (phase !== "planning" && phase !== "building") {
        return;
      }
      this.#alarm.arm(Date.now() + this.#watchMs);
      if (!this.#isLeased()) {
        const { run_id } = this.#store.request;
        await this.env.ZIP_BUILDERS.wake({ v: 1, run_id });
      }
    });
  }

  /** One at a time, for any number of callers. Never throws. */
  #prepare(): Promise<void> {
    this.#planning ??= this.#planOnce().finally(() => {
      this.#planning = undefined;
    });
    return this.#planning;
  }

  async #planOnce(): Promise<void> {
    try {
      await prepareExport(this.#store, runObject({ env: this.env }, this.#store.request.run_id));
    } catch (error) {
      this.#log("zip.plan_failed", error);
      // An ended export stays ended: its run's outputs can no longer be listed.
      if (this.#store.phase === "planning" && this.#store.countFailure() >= FAILURES_MAX) {
        this.#store.fail("The outputs could not be listed. Request the export again.");
      }
    }
  }

  async #failed(message: string, isRetryable: boolean): Promise<void> {
    const failures = this.#store.countFailure();
    const isOver = !isRetryable || failures >= FAILURES_MAX;
    const dropped = isOver || failures >= FAILURES_KEEPING_PARTS ? this.#store.dropUpload() : null;
    if (isOver) {
      this.#store.fail(message);
    } else {
      // The alarm wakes a builder again, one interval later.
      this.#store.release();
    }
    if (dropped !== null) {
      await this.#abort(dropped);
    }
  }

  /** R2 drops an incomplete upload after seven days, so an abort only frees it sooner. */
  async #abort({ key, upload_id }: { readonly key: string; readonly upload_id: string }) {
    await this.env.FILES.resumeMultipartUpload(key, upload_id)
      .abort()
      .catch(() => undefined);
  }

  #isOf(workspaceId: string): boolean {
    return this.#store.exists && this.#store.request.workspace_id === workspaceId;
  }

  /** A lease of an earlier start ends at once (ARCHITECTURE.md). */
  #isLeased(): boolean {
    const { lease } = this.#store;
    return (
      lease !== null &&
      isLeaseHeld({ boot: lease.boot, untilMs: lease.until_ms }, this.env.BOOT_ID, Date.now())
    );
  }

  #log(event: string, error: unknown): void {
    createLogger({ object: "zip_export" }).error(event, { cause: describeCause(error) });
  }
}

parseEntries(ZipExportObject, isEnvUsable, ZIP_EXPORT_ENTRIES);
