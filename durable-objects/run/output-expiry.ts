import type { RunExpiry } from "../../src/contracts/run-object-api.ts";
import type { Env } from "../../src/platform/env.ts";
import { zipExportObject } from "../../src/storage/objects/zip-export-object.ts";
import type { LoggedDelta } from "../../src/engine/events/delta-text.ts";
import type { RunDelta } from "../../src/engine/events/run-delta.ts";
import { EXPIRED_KEY } from "./run-schema.ts";
import type { RunStore } from "./run-store.ts";

/** Files removed in one call, so that a call is over soon; a listing gives a thousand at most. */
const FILES_AT_ONCE = 500;
/** Values removed in one call; some milliseconds, in which nobody else is served. */
const VALUES_AT_ONCE = 5_000;

const REMOVED_KEY = "outputs_removed";

/** Nothing of the state changes; the row is there so that every view's tag does. */
const NOTHING: RunDelta = { status: null, progress: null, stopped: null, nodes: [], outputs: [] };

interface RunPlace {
  readonly workspace_id: string;
  readonly run_id: string;
}

/**
 * The end of what a run has made (docs/contract/results.md#retention, `output_retention_days`). First a commit says so, and
 * from then on no view shows a value or an address; then the bytes go. Each call removes a bounded
 * piece and may be repeated or cut off: what is still there is found again. How elements ended, the
 * log and with them events and trace stay.
 */
export class OutputExpiry {
  readonly #env: Env;
  readonly #store: RunStore;
  #isUnderWay = false;
  #logged: LoggedDelta | undefined;

  constructor(env: Env, store: RunStore) {
    this.#env = env;
    this.#store = store;
  }

  /** No export may begin any more: it would leave a file behind. */
  get hasBegun(): boolean {
    return this.#isUnderWay || this.expiredAtMs !== null;
  }

  /** When the outputs expired; null while they have not. */
  get expiredAtMs(): number | null {
    const at = this.#store.getMetadata(EXPIRED_KEY);
    return at === undefined ? null : Number(at);
  }

  /** One piece of the work, for a run that has told everybody of its end. */
  async advance(run: RunPlace, nowMs: number): Promise<RunExpiry> {
    const expired_at_ms = this.expiredAtMs ?? nowMs;
    if (this.#store.getMetadata(REMOVED_KEY) !== undefined) {
      return { expired_at_ms, state: "removed" };
    }
    this.#isUnderWay = true;
    if (this.#store.mayHaveFiles) {
      this.#commit(() => {
        this.#begin(nowMs);
      });
    }
    const isExportOver = await this.#endExport(run);
    const hasMoreFiles = this.#store.mayHaveFiles && (await this.#removeFiles(run));
    // A run that never had a file says that it has expired and loses its values in one commit.
    const state = this.#commit((): RunExpiry["state"] => {
      this.#begin(nowMs);
      const hasMore = this.#store.dropValues(VALUES_AT_ONCE);
      if (hasMoreFiles || hasMore) {
        return "more";
      }
      if (isExportOver) {
        this.#store.putMetadata(REMOVED_KEY, 1);
      }
      return isExportOver ? "removed" : "busy";
    });
    return { expired_at_ms: this.expiredAtMs ?? nowMs, state };
  }

  /** The same for a run whose rows cannot be read: they go too, with the values in them. */
  async advanceDamaged(run: RunPlace, nowMs: number): Promise<RunExpiry> {
    this.#isUnderWay = true;
    const isExportOver = await this.#endExport(run);
    if (await this.#removeFiles(run)) {
      return { expired_at_ms: nowMs, state: "more" };
    }
    if (!isExportOver) {
      return { expired_at_ms: nowMs, state: "busy" };
    }
    await this.#store.erase();
    return { expired_at_ms: nowMs, state: "removed" };
  }

  /** Before the run's files are listed: what ends later could leave one behind. */
  #endExport({ workspace_id, run_id }: RunPlace): Promise<boolean> {
    return zipExportObject({ env: this.#env }, run_id).end({ v: 1, workspace_id });
  }

  /** True when there are more than one call removes. */
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
