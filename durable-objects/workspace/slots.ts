import { SLOT } from "./known-run.ts";
import type { PendingStarts } from "./pending-starts.ts";
import type { WorkspaceStore } from "./workspace-store.ts";

/**
 * The plan's concurrency: the numbers of runs with a slot and of those waiting for one. Counted from the rows when the
 * object wakes, and then updated with them: each change is part of the caller's transaction, and a rollback is followed
 * by `recount`.
 */
export class Slots {
  readonly #store: WorkspaceStore;
  readonly #pending: PendingStarts;
  #taken = 0;
  #held = 0;
  #max = 0;

  constructor(store: WorkspaceStore, pending: PendingStarts) {
    this.#store = store;
    this.#pending = pending;
    this.recount();
  }

  recount(): void {
    const { taken, held } = this.#store.countLiveIndexed();
    this.#taken = taken + this.#pending.slotsTaken;
    this.#held = held;
    this.#max = this.#store.maxConcurrent();
  }

  get isFull(): boolean {
    return this.#taken >= this.#max;
  }

  get max(): number {
    return this.#max;
  }

  /** Slots without a run, which no single run waits for. */
  get free(): number {
    return this.#held > 0 ? 0 : Math.max(0, this.#max - this.#taken);
  }

  get isAnyTaken(): boolean {
    return this.#taken > 0;
  }

  /** Live runs with a slot, or waiting for one. */
  get live(): number {
    return this.#taken + this.#held;
  }

  /** Sets the plan's figure from the latest caller. True if that gave a run a slot and it must be told. */
  limitTo(max: number): boolean {
    if (max === this.#max) {
      return false;
    }
    this.#max = max;
    this.#store.setMaxConcurrent(max);
    return this.#fill();
  }

  admitted(isHeld: boolean): void {
    this.#taken += isHeld ? 0 : 1;
    this.#held += isHeld ? 1 : 0;
  }

  /** A live run has ended. True if another run got its slot and must be told. */
  ended(slot: number): boolean {
    this.#held -= slot === SLOT.held ? 1 : 0;
    this.#taken -= slot === SLOT.held ? 0 : 1;
    return this.#fill();
  }

  /** First in, first out. */
  #fill(): boolean {
    const free = this.#max - this.#taken;
    if (free <= 0 || this.#held === 0) {
      return false;
    }
    const promoted = this.#store.promoteHeld(free);
    this.#taken += promoted;
    this.#held -= promoted;
    return promoted > 0;
  }
}
