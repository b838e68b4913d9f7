import type { HoldState } from "../../../src/contracts/runs/run-source.ts";
import type { Env } from "../../../src/platform/env.ts";
import { runObject } from "../../../src/storage/objects/run-object.ts";
import type { RunStore } from "../state/run-store.ts";

/** Metadata: ids of the retries that refer to this run, as a JSON list. */
const HOLDERS_KEY = "holders";
/** The same for runs that have taken its results from the cache. They need its files only. */
const TAKERS_KEY = "takers";

/** Runs asked at the same time. */
const ASKED_AT_ONCE = 50;

/** Runs that still need this run's values or its files. A retry of a retry holds that one, which holds this run. */
export class SourceHolds {
  readonly #env: Pick<Env, "RUN">;
  readonly #store: Pick<RunStore, "getMetadata" | "putMetadata">;

  constructor(env: Pick<Env, "RUN">, store: Pick<RunStore, "getMetadata" | "putMetadata">) {
    this.#env = env;
    this.#store = store;
  }

  has(holder: string): boolean {
    return this.#ids(HOLDERS_KEY).includes(holder);
  }

  /** Written before the retry reads anything. */
  add(holder: string): void {
    this.#addTo(HOLDERS_KEY, [holder]);
  }

  /** Runs that have files of this one from the cache: one write for all. */
  addTakers(takers: readonly string[]): void {
    this.#addTo(TAKERS_KEY, takers);
  }

  /** Whether one of these runs is not gone, up to the first page that has one. Throws if one could not be asked. */
  async areHeldBy(ids: readonly string[], workspaceId: string): Promise<boolean> {
    for (let at = 0; at < ids.length; at += ASKED_AT_ONCE) {
      const states = await this.#statesOf(ids.slice(at, at + ASKED_AT_ONCE), workspaceId);
      if (states.some((state) => state !== "gone")) {
        return true;
      }
    }
    return false;
  }

  /**
   * The strongest hold. Runs are asked, since one that was damaged or erased tells nothing by itself; those that are
   * gone are forgotten. What can make no difference is not asked. Throws if one could not be asked.
   */
  async strongest(workspaceId: string): Promise<HoldState> {
    const retries = await this.#ask(HOLDERS_KEY, workspaceId, ["reading"]);
    if (retries !== "gone") {
      return retries;
    }
    const takers = await this.#ask(TAKERS_KEY, workspaceId, ["reading", "keeping"]);
    return takers === "gone" ? "gone" : "keeping";
  }

  /** The strongest state of these runs, up to the first page that has one of `enough`. */
  async #ask(key: string, workspaceId: string, enough: readonly HoldState[]): Promise<HoldState> {
    const ids = this.#ids(key);
    const seen = new Set<HoldState>();
    for (let at = 0; at < ids.length && !enough.some((state) => seen.has(state));) {
      const page = ids.slice(at, at + ASKED_AT_ONCE);
      const states = await this.#statesOf(page, workspaceId);
      states.forEach((state) => seen.add(state));
      this.#forget(key, new Set(page.filter((_, index) => states[index] === "gone")));
      at += page.length;
    }
    return seen.has("reading") ? "reading" : seen.has("keeping") ? "keeping" : "gone";
  }

  #statesOf(ids: readonly string[], workspace_id: string): Promise<HoldState[]> {
    return Promise.all(
      ids.map((id) => runObject({ env: this.#env }, id).holdState({ v: 1, workspace_id })),
    );
  }

  #forget(key: string, gone: ReadonlySet<string>): void {
    if (gone.size > 0) {
      // Read again: others may have come while these were asked.
      const left = this.#ids(key).filter((id) => !gone.has(id));
      this.#store.putMetadata(key, JSON.stringify(left));
    }
  }

  #addTo(key: string, more: readonly string[]): void {
    const known = this.#ids(key);
    const all = new Set([...known, ...more]);
    if (all.size > known.length) {
      this.#store.putMetadata(key, JSON.stringify([...all]));
    }
  }

  #ids(key: string): readonly string[] {
    const kept = this.#store.getMetadata(key);
    return kept === undefined ? [] : (JSON.parse(String(kept)) as string[]);
  }
}
