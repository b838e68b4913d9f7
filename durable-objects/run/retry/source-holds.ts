import type { HoldState } from "../../../src/contracts/runs/run-source.ts";
import type { Env } from "../../../src/platform/env.ts";
import { runObject } from "../../../src/storage/objects/run-object.ts";
import type { RunStore } from "../state/run-store.ts";

/** Metadata: ids of the retries that refer to this run, as a JSON list. */
const HOLDERS_KEY = "holders";

/** Retries of this run that still need its values or its files. A retry of a retry holds that one, which holds this run. */
export class SourceHolds {
  readonly #env: Env;
  readonly #store: RunStore;

  constructor(env: Env, store: RunStore) {
    this.#env = env;
    this.#store = store;
  }

  has(holder: string): boolean {
    return this.#holders().includes(holder);
  }

  /** Written before the retry reads anything. */
  add(holder: string): void {
    const holders = this.#holders();
    if (!holders.includes(holder)) {
      this.#store.putMetadata(HOLDERS_KEY, JSON.stringify([...holders, holder]));
    }
  }

  /**
   * The strongest hold. Each retry is asked, since one that was damaged or erased tells nothing by itself; those that
   * are gone are forgotten. Throws if one could not be asked.
   */
  async strongest(workspaceId: string): Promise<HoldState> {
    const holders = this.#holders();
    if (holders.length === 0) {
      return "gone";
    }
    const request = { v: 1, workspace_id: workspaceId } as const;
    const states = await Promise.all(
      holders.map((id) => runObject({ env: this.#env }, id).holdState(request)),
    );
    const left = holders.filter((_, at) => states[at] !== "gone");
    if (left.length < holders.length) {
      this.#store.putMetadata(HOLDERS_KEY, JSON.stringify(left));
    }
    return states.includes("reading") ? "reading" : states.includes("keeping") ? "keeping" : "gone";
  }

  #holders(): readonly string[] {
    const kept = this.#store.getMetadata(HOLDERS_KEY);
    return kept === undefined ? [] : (JSON.parse(String(kept)) as string[]);
  }
}
