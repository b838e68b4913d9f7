import type { NodeError } from "../../src/lib/errors/node-error.ts";

/**
 * Ends one task early: its run was cancelled, its lease was lost, or its time limit was exceeded. The first reason
 * counts.
 */
export class TaskAbort {
  readonly #listeners: ((reason: NodeError) => void)[] = [];
  #controller: AbortController | undefined;
  #reason: NodeError | undefined;

  /** Undefined while the task may continue; then the outcome. */
  get reason(): NodeError | undefined {
    return this.#reason;
  }

  /** Created on first use: most tasks never need a signal, and creating one is slow. */
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

  /** Calls `tell` when the task is aborted, at once if it already is. */
  onAbort(tell: (reason: NodeError) => void): void {
    if (this.#reason === undefined) {
      this.#listeners.push(tell);
    } else {
      tell(this.#reason);
    }
  }
}
