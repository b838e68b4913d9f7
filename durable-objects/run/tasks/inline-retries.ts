import { ATTEMPTS_MAX, retryDelayMs } from "../../../src/engine/step/retry-delay.ts";
import type { PlanNode } from "../../../src/engine/plan/plan.ts";
import { countRetry } from "./node-retries.ts";
import type { RunStore } from "../state/run-store.ts";

/**
 * Counts attempts of elements whose file the store did not return. Stored in the run's rows, so that a crash or an
 * eviction gives no additional attempts; shown as retries of the node.
 */
export class InlineRetries {
  readonly #store: RunStore;
  readonly #random: () => number;

  constructor(store: RunStore, random: () => number) {
    this.#store = store;
    this.#random = random;
  }

  /** Waits according to the engine's rule [E20]; returns false after the last attempt. */
  async awaitNext({ index }: Pick<PlanNode, "index">, element: number): Promise<boolean> {
    const attempt = this.#count(`draws.${index}.${element}`);
    if (attempt >= ATTEMPTS_MAX) {
      return false;
    }
    countRetry(this.#store, index);
    this.#store.keep();
    await scheduler.wait(retryDelayMs(attempt, this.#random(), null));
    return true;
  }

  #count(name: string): number {
    const count = Number(this.#store.getMetadata(name) ?? 0) + 1;
    this.#store.putMetadata(name, count);
    // A run that is in memory only would start counting again after a crash.
    this.#store.keep();
    return count;
  }
}
