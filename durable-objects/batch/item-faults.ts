/** Failures of one item after which it fails: as many as end a run. */
const FAULTS_MAX = 10;
/** Failures within this time count once. */
const APART_MS = 15_000;

interface Fault {
  readonly count: number;
  readonly atMs: number;
}

/**
 * Runs that could not be prepared because the service failed. Without a limit, an item whose run can never be prepared would
 * keep its batch from ending. In memory only: an object that was lost begins to count again.
 */
export class ItemFaults {
  readonly #faults = new Map<string, Fault>();

  /** Counts a failure; true once the item must fail. */
  isFinal(run: string, nowMs: number): boolean {
    const last = this.#faults.get(run);
    let count = last?.count ?? 0;
    if (count < FAULTS_MAX && (last === undefined || Math.abs(nowMs - last.atMs) >= APART_MS)) {
      count += 1;
      this.#faults.set(run, { count, atMs: nowMs });
    }
    // Also to a repeat: the item fails only with the next admission, which may be lost.
    return count >= FAULTS_MAX;
  }

  /** The run could be prepared. */
  forget(run: string): void {
    this.#faults.delete(run);
  }

  /** The attempt has ended. */
  clear(): void {
    this.#faults.clear();
  }
}

/** The failure of an item whose run could not be prepared. */
export const UNPREPARED = {
  code: "internal_error",
  message: `The service failed ${String(FAULTS_MAX)} times to prepare the run of this item. Retry the batch.`,
} as const;
