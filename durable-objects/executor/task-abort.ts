import type { NodeError } from "../../src/lib/node-error.ts";

/** Ends one task early: its run was cancelled, its lease is lost, its time is over. The first reason counts. */
export class TaskAbort {
  readonly #listeners: ((reason: NodeError) => void)[] = [];
  #controller: AbortController | undefined;
  #reason: NodeError | undefined;

  /** Undefined while the task may go on; else what becomes its outcome. */
  get reason(): NodeError | undefined {
    return this.#reason;
  }

  /** Made for the first that asks: most tasks never look at it, and making one is dear. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#reason !== undefined) {
        this.#controller.abort(this.#reason);
      }
    }
    return this.#controller.signal;
  }

  abort(reason: NodeError): void {
    if (this.#reason === undefined) {
      this.#reason = reason;
      this.#controller?.abort(reason);
      this.#listeners.forEach((tell) => {
        tell(reason);
      });
    }
  }

  /** Calls `tell` once the task is aborted, at once when it is. */
  onAbort(tell: (reason: NodeError) => void): void {
    if (this.#reason === undefined) {
      this.#listeners.push(tell);
    } else {
      tell(this.#reason);
    }
  }
}
