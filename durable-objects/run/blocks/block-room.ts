/** Limits the text of blocks that run objects cache: a small part always, more while the isolate has room. */
import {
  isolateMemory,
  type KeptMemory,
  type MemoryBudget,
} from "../../../src/lib/memory/memory-budget.ts";

/** Characters of blocks that a run object may always cache, besides the blocks of one commit. */
export const BLOCK_CACHE_CHARS = 256 * 1024;

/**
 * Characters that it caches while the memory is not needed: the blocks of a fan-out of 10,000 short values through
 * three nodes, which each node would otherwise read and decode again.
 */
export const BLOCK_CACHE_CHARS_MAX = 2.25 * 1024 * 1024;

/**
 * Characters that a run keeps whose blocks have been more than that: those that work goes on in. Whatever
 * stays longer than a slice or two becomes old garbage, and V8 lets some 30 MB of that be.
 */
export const BLOCK_WINDOW_CHARS = 64 * 1024;

/** Memory of a character in a block, of one or two bytes and with its parents' texts. */
const BYTES_A_CHAR = 4;

/** What a block counts for by itself, a cell, and a task that has not settled: characters, of the same bytes. */
export const BLOCK_CHARS = 128;
export const CELL_CHARS = 40;
export const TASK_CHARS = 60;

export class BlockRoom {
  readonly #kept: KeptMemory;
  /** Drops blocks until this many characters are left. */
  readonly #shrinkTo: (chars: number) => void;
  #counted = 0;

  constructor(shrinkTo: (chars: number) => void, budget: MemoryBudget = isolateMemory) {
    this.#shrinkTo = shrinkTo;
    // Weak references, because an object that the platform drops cannot release its blocks.
    const self = new WeakRef(this);
    this.#kept = budget.keep(0, () => {
      const room = self.deref();
      if (room !== undefined) {
        room.#giveBack();
      }
    });
  }

  /** Called when the blocks have changed, with their characters. */
  count(chars: number): void {
    const counted = chars <= BLOCK_CACHE_CHARS ? 0 : chars;
    if (counted !== this.#counted) {
      this.#counted = counted;
      this.#kept.resize(counted * BYTES_A_CHAR);
    }
  }

  #giveBack(): void {
    this.#counted = 0;
    this.#shrinkTo(BLOCK_CACHE_CHARS);
  }
}
