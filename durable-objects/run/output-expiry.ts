import type { RunExpiry } from "../../src/contracts/runs/run-object-api.ts";
import type { RunOrigin } from "../../src/contracts/runs/run-origin.ts";
import type { Env } from "../../src/platform/env.ts";
import { batchObject } from "../../src/storage/objects/batch-object.ts";
import { runGroupObject } from "../../src/storage/objects/run-group-object.ts";
import { zipExportObject } from "../../src/storage/objects/zip-export-object.ts";
import type { LoggedDelta } from "../../src/engine/events/delta-text.ts";
import type { RunDelta } from "../../src/engine/events/run-delta.ts";
import { CACHED_FACT, EXPIRED_KEY } from "./state/run-schema.ts";
import type { SourceHolds } from "./retry/source-holds.ts";
import type { RunStore } from "./state/run-store.ts";

/** Files deleted in one call, so that it ends soon; a listing returns at most a thousand. */
const FILES_AT_ONCE = 500;
/** Values deleted in one call; it takes some milliseconds, in which no other call is served. */
const VALUES_AT_ONCE = 5_000;

/** Metadata: nothing of what the run has made is left. */
export const REMOVED_KEY = "outputs_removed";

/** The state does not change; the row exists so that the tag of every view does. */
const NOTHING: RunDelta = { status: null, progress: null, stopped: null, nodes: [], outputs: [] };

type Holds = Pick<SourceHolds, "addTakers" | "areHeldBy" | "strongest">;

interface RunPlace {
  readonly workspace_id: string;
  readonly run_id: string;
  readonly origin?: Partial<RunOrigin> | undefined;
}

/**
 * Deletes what a run has made (docs/contract/results.md#retention, `output_retention_days`). First a commit records the
 * expiry, after which no view shows a value or an address; then the bytes are deleted. Each call deletes a bounded part
 * and may be repeated or interrupted: remaining data is found again. End states of elements and the log, and with it
 * events and trace, stay.
 */
export class OutputExpiry {
  readonly #env: Env;
  readonly #store: RunStore;
  readonly #holds: Holds;
  #isUnderWay = false;
  #logged: LoggedDelta | undefined;

  constructor(env: Env, store: RunStore, holds: Holds) {
    this.#env = env;
    this.#store = store;
    this.#holds = holds;
  }

  /** No export may start any more, because it would leave a file behind. */
  get hasBegun(): boolean {
    return this.#isUnderWay || this.expiredAtMs !== null;
  }

  /** When the outputs expired; null if they have not. */
  get expiredAtMs(): number | null {
    const at = this.#store.getMetadata(EXPIRED_KEY);
    return at === undefined ? null : Number(at);
  }

  /** One part of the work, for a run that has reported its end to all receivers. */
  async advance(run: RunPlace, nowMs: number): Promise<RunExpiry> {
    const expired_at_ms = this.expiredAtMs ?? nowMs;
    const has_files = this.#store.mayHaveFiles;
    if (this.#store.getMetadata(REMOVED_KEY) !== undefined) {
      return { expired_at_ms, state: "removed", has_files };
    }
    const { batch = null, batch_index: index = null } = run.origin ?? {};
    await this.#leaveBatch(run, batch, index);
    this.#isUnderWay = true;
    if (this.#store.mayHaveFiles) {
      this.#commit(() => {
        this.#begin(nowMs);
      });
    }
    await this.#leaveCache(run);
    const hold = await this.#holds.strongest(run.workspace_id);
    if (hold === "reading") {
      this.#commit(() => {
        this.#begin(nowMs);
      });
      return { expired_at_ms: this.expiredAtMs ?? nowMs, state: "held", has_files: false };
    }
    const isExportOver = await this.#endExport(run);
    const mayRemove = hold === "gone";
    const hasMoreFiles = mayRemove && this.#store.mayHaveFiles && (await this.#removeFiles(run));
    // A run that never had a file records its expiry and deletes its values in one commit.
    const state = this.#commit((): RunExpiry["state"] => {
      this.#begin(nowMs);
      const hasMore = this.#store.dropValues(VALUES_AT_ONCE);
      if (hasMoreFiles || hasMore) {
        return "more";
      }
      if (!mayRemove) {
        return "held";
      }
      if (isExportOver) {
        this.#store.putMetadata(REMOVED_KEY, 1);
      }
      return isExportOver ? "removed" : "busy";
    });
    return { expired_at_ms: this.expiredAtMs ?? nowMs, state, has_files };
  }

  /**
   * The same for a run whose rows cannot be read: they are deleted too, with their values. Its rows do not tell who has its
   * files, so the cache is asked each time.
   */
  async advanceDamaged(run: RunPlace, batch: string | null, nowMs: number): Promise<RunExpiry> {
    await this.#leaveBatch(run, batch, null);
    this.#isUnderWay = true;
    const { workspace_id, run_id: execution } = run;
    const takers = await this.#env.RESULT_CACHE.release({ v: 1, workspace_id, execution });
    if (await this.#holds.areHeldBy(takers, workspace_id)) {
      return { expired_at_ms: nowMs, state: "held", has_files: true };
    }
    const isExportOver = await this.#endExport(run);
    if (await this.#removeFiles(run)) {
      return { expired_at_ms: nowMs, state: "more", has_files: true };
    }
    if (!isExportOver) {
      return { expired_at_ms: nowMs, state: "busy", has_files: true };
    }
    await this.#store.erase();
    return { expired_at_ms: nowMs, state: "removed", has_files: true };
  }

  /** Runs that have taken results of this one from the cache hold its files; no other can take any from now on. */
  async #leaveCache({ workspace_id, run_id: execution }: RunPlace): Promise<void> {
    if (this.#store.getMetadata(CACHED_FACT) !== 1) {
      return;
    }
    const takers = await this.#env.RESULT_CACHE.release({ v: 1, workspace_id, execution });
    this.#holds.addTakers(takers);
    this.#store.putMetadata(CACHED_FACT, 0);
  }

  /** Before anything of the run is gone, so that its batch never exports what has expired, and its group forgets it. */
  async #leaveBatch(
    { workspace_id, run_id }: RunPlace,
    batch: string | null,
    index: number | null,
  ): Promise<void> {
    if (batch !== null) {
      const object = batchObject({ env: this.#env }, batch);
      await object.forgetOutputs({ v: 1, workspace_id, run_id, index });
      await runGroupObject({ env: this.#env }, run_id).forget({ v: 1, run_id });
    }
  }

  /** Before the run's files are listed, because an attempt that ends later could leave one behind. */
  #endExport({ workspace_id, run_id }: RunPlace): Promise<boolean> {
    return zipExportObject({ env: this.#env }, run_id).end({ v: 1, workspace_id });
  }

  /** True if there are more than one call deletes. */
  async #removeFiles({ workspace_id, run_id }: RunPlace): Promise<boolean> {
    const { objects, truncated } = await this.#env.FILES.list({
      prefix: `${workspace_id}/runs/${run_id}/`,
      limit: FILES_AT_ONCE,
    });
    if (objects.length > 0) {
      await this.#env.FILES.delete(objects.map(({ key }) => key));
    }
    return truncated;
  }

  #commit<T>(work: () => T): T {
    this.#logged = undefined;
    const value = this.#store.transaction(work, { isBundled: true });
    if (this.#logged !== undefined) {
      this.#store.log.committed(this.#logged);
    }
    return value;
  }

  #begin(nowMs: number): void {
    if (this.expiredAtMs === null) {
      this.#store.putMetadata(EXPIRED_KEY, nowMs);
      this.#logged = this.#store.log.append(NOTHING);
    }
  }
}
