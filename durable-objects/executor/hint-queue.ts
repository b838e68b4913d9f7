import type { NodeTasksMessage } from "../../src/contracts/task.ts";

/** A hint is some hundred bytes; what is over this is given back to the queue. */
export const HINTS_MAX = 1_024;

/** Hints that wait for a free place, bounded, each chunk once, taken in turn from one run after the other. */
export class HintQueue {
  // Insertion order is the order of turns: a run whose hint was taken goes to the end.
  readonly #byRun = new Map<string, Map<number, NodeTasksMessage>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** False when full; a chunk that waits already is taken as accepted. */
  offer(hint: NodeTasksMessage): boolean {
    const chunks = this.#byRun.get(hint.run_id);
    if (chunks?.has(hint.chunk) === true) {
      return true;
    }
    if (this.#size >= HINTS_MAX) {
      return false;
    }
    if (chunks === undefined) {
      this.#byRun.set(hint.run_id, new Map([[hint.chunk, hint]]));
    } else {
      chunks.set(hint.chunk, hint);
    }
    this.#size++;
    return true;
  }

  take(): NodeTasksMessage | undefined {
    for (const [runId, chunks] of this.#byRun) {
      for (const [chunk, hint] of chunks) {
        chunks.delete(chunk);
        this.#size--;
        this.#byRun.delete(runId);
        if (chunks.size > 0) {
          this.#byRun.set(runId, chunks);
        }
        return hint;
      }
    }
    return undefined;
  }
}
