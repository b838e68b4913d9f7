/** Tasks of one executor object that run at the same time, all runs of its workspace together. */
export const TASKS_MAX = 64;

/** Inputs and declared working memory of those tasks together; an isolate has 128 MB for everything (DESIGN §5 rule 13). */
export const LIVE_BYTES_MAX = 48 * 1024 * 1024;

interface Waiter {
  readonly bytes: number;
  readonly grant: () => void;
}

/**
 * Places for running tasks, limited in number and in input bytes. The first that fits goes in, so
 * that a large one does not hold up small ones; one task alone always fits.
 */
export class TaskSlots {
  #running = 0;
  #bytes = 0;
  readonly #waiting: Waiter[] = [];

  /** Resolves when there is room. Answer with `release(bytes)` exactly once. */
  acquire(bytes: number): Promise<void> | undefined {
    if (this.#fits(bytes)) {
      this.#enter(bytes);
      return undefined;
    }
    return new Promise((resolve) => {
      this.#waiting.push({ bytes, grant: resolve });
    });
  }

  release(bytes: number): void {
    this.#running--;
    this.#bytes -= bytes;
    for (let at = 0; at < this.#waiting.length && this.#running < TASKS_MAX;) {
      const waiter = this.#waiting[at];
      if (waiter !== undefined && this.#fits(waiter.bytes)) {
        this.#waiting.splice(at, 1);
        this.#enter(waiter.bytes);
        waiter.grant();
      } else {
        at++;
      }
    }
  }

  #fits(bytes: number): boolean {
    return (
      this.#running === 0 || (this.#running < TASKS_MAX && this.#bytes + bytes <= LIVE_BYTES_MAX)
    );
  }

  #enter(bytes: number): void {
    this.#running++;
    this.#bytes += bytes;
  }
}
