import type { RunExpiry } from "../../src/contracts/run-object-api.ts";
import type { Env } from "../../src/platform/env.ts";
import { zipExportObject } from "../../src/storage/objects/zip-export-object.ts";
import type { RunDelta } from "../../src/engine/events/run-delta.ts";
import { EXPIRED_FACT } from "./run-schema.ts";
import type { RunStore } from "./run-store.ts";

/** Files removed in one call, so that a call is over soon; a listing gives a thousand at most. */
const FILES_AT_ONCE = 500;
/** Values removed in one call; some milliseconds, in which nobody else is served. */
const VALUES_AT_ONCE = 5_000;

const REMOVED_FACT = "outputs_removed";

/** Nothing of the state changes; the row is there so that every view's tag does. */
const NOTHING: RunDelta = { status: null, progress: null, stopped: null, nodes: [], outputs: [] };

interface RunPlace {
  readonly workspace_id: string;
  readonly run_id: string;
}

/**
 * The end of what a run has made (spec 1 §8, `output_retention_days`). First a commit says so, and
 * from then on no view shows a value or an address; then the bytes go. Each call removes a bounded
 * piece and may be repeated or cut off: what is still there is found again. How elements ended, the
 * log and with them events and trace stay.
 */
export class OutputExpiry {
  readonly #env: Env;
  readonly #store: RunStore;
  readonly #sql: SqlStorage;

  constructor(env: Env, store: RunStore, sql: SqlStorage) {
    this.#env = env;
    this.#store = store;
    this.#sql = sql;
  }

  /** When the outputs expired; null while they have not. */
  get expiredAtMs(): number | null {
    const at = this.#store.getFact(EXPIRED_FACT);
    return at === undefined ? null : Number(at);
  }

  /** One piece of the work, for a run that has told everybody of its end. */
  async advance(run: RunPlace, nowMs: number): Promise<RunExpiry> {
    const expired_at_ms = this.#begin(nowMs);
    if (this.#store.getFact(REMOVED_FACT) === undefined) {
      const state = await this.#remove(run);
      if (state !== "removed") {
        return { expired_at_ms, state };
      }
      this.#store.putFact(REMOVED_FACT, 1);
    }
    return { expired_at_ms, state: "removed" };
  }

  async #remove({ workspace_id, run_id }: RunPlace): Promise<RunExpiry["state"]> {
    // Before its files are listed: what ends later could leave one behind.
    const isExportOver = await zipExportObject({ env: this.#env }, run_id).end({
      v: 1,
      workspace_id,
    });
    const { objects, truncated } = await this.#env.FILES.list({
      prefix: `${workspace_id}/runs/${run_id}/`,
      limit: FILES_AT_ONCE,
    });
    if (objects.length > 0) {
      await this.#env.FILES.delete(objects.map(({ key }) => key));
    }
    const hasMore = this.#removeValues();
    return truncated || hasMore ? "more" : isExportOver ? "removed" : "busy";
  }

  #begin(nowMs: number): number {
    const known = this.expiredAtMs;
    if (known !== null) {
      return known;
    }
    const entry = this.#store.transaction(() => {
      this.#store.putFact(EXPIRED_FACT, nowMs);
      return this.#store.log.append(NOTHING);
    });
    this.#store.log.committed(entry);
    return nowMs;
  }

  /** Values that lie in rows, and the text of the event, which quotes them. True when some are left. */
  #removeValues(): boolean {
    this.#sql.exec("DELETE FROM fact WHERE name >= 'event.' AND name < 'event/'");
    // Status 0 is `ok`; the bodies of the others are failures, which a run keeps.
    const kept = "SELECT node, ord FROM cell WHERE status = 0 AND body <> '' LIMIT";
    this.#sql.exec(
      `UPDATE cell SET body = '' WHERE (node, ord) IN (${kept} ${String(VALUES_AT_ONCE)})`,
    );
    return this.#sql.exec(`${kept} 1`).toArray().length > 0;
  }
}
