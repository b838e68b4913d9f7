import type { NodeTasksMessage } from "../../src/contracts/runs/task.ts";

/** A hint takes some hundred bytes; hints beyond this number are given back to the queue. */
export const HINTS_MAX = 1_024;

/** A bounded queue of hints that wait for a free place. Each chunk occurs once; runs are served in turns. */
export class HintQueue {
  // Insertion order is the order of turns: a run whose hint was taken moves to the end.
  readonly #byRun = new Map<string, Map<number, NodeTasksMessage>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Returns false if full; a chunk that waits already counts as accepted. */
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
