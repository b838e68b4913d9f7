/**
 * Lets tasks begin one after the other, each in a turn of its own: what a task computes at once then
 * delays others on the same thread by one task and not by a whole chunk. Tasks still run side by side.
 */
export class TaskTurns {
  #last: Promise<void> = Promise.resolve();

  /** Resolves when it is the caller's turn. */
  next(): Promise<void> {
    this.#last = this.#last.then(() => scheduler.wait(0));
    return this.#last;
  }
}
