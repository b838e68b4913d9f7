/** What a task knows of its calls to models, kept in the token with which its next lease begins. */
import { WAIT_TOKEN_MAX_CHARS } from "../../contracts/runs/task.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import { TaskSuspended } from "../../lib/task-suspended.ts";
import type { TaskCall } from "../../nodes/define-tools.ts";
import { type CallState, decodeCalls, encodeCalls, NEW_CALL } from "../../providers/job-token.ts";

const ATTEMPTS = LIMITS.attempts.value;

export type KeepingTask = Pick<TaskCall, "attempt" | "keep" | "key" | "lease" | "token" | "wait">;

export class KeptCalls {
  readonly #task: KeepingTask;
  readonly #calls: Map<string, CallState>;
  /** A worker was lost since the token was written, and with it perhaps the answer to a submission. */
  #isWorkerLost: boolean;
  #waitMs = Infinity;
  /** Every call that waits, waits for its turn. */
  #isQueued = true;

  constructor(task: KeepingTask) {
    const known = task.token === null ? undefined : decodeCalls(task.token);
    this.#task = task;
    this.#calls = new Map(known?.calls);
    this.#isWorkerLost = task.lease > (known?.lease ?? 0) + 1;
    this.#keep();
  }

  /** The state of a call by its name; that of a new call if it has none yet. */
  of(name: string): CallState {
    return this.#calls.get(name) ?? NEW_CALL;
  }

  all(): Iterable<CallState> {
    return this.#calls.values();
  }

  set(name: string, changed: Partial<CallState>): void {
    this.#calls.set(name, { ...this.of(name), ...changed });
    this.#keep();
  }

  /** Remembers a failure of a call for its next attempts. */
  noteFailure(name: string, error: unknown): void {
    if (!(error instanceof NodeError)) {
      return;
    }
    if (error.code === "PROVIDER_TIMEOUT") {
      this.set(name, { timeouts: this.of(name).timeouts + 1 });
    }
    if (!error.retryable || this.#task.attempt >= ATTEMPTS) {
      this.set(name, { failure: error.code });
    }
  }

  /** The answer to a submission was lost. */
  noteLost(name: string): void {
    this.set(name, { unconfirmed: this.of(name).unconfirmed + 1 });
  }

  /** Whether two submissions may have reached the provider without a confirmation. */
  isUnconfirmedTwice(name: string): boolean {
    return this.of(name).unconfirmed > 1;
  }

  /** Whether a worker was lost since the token was written; true once. */
  takeLostWorker(): boolean {
    const isLost = this.#isWorkerLost;
    this.#isWorkerLost = false;
    return isLost;
  }

  /** Throws TaskSuspended, with the shortest wait that was asked for. */
  suspend(ms: number, isQueued = false): never {
    this.#waitMs = Math.min(this.#waitMs, ms);
    this.#isQueued &&= isQueued;
    this.#task.wait(this.#token(), this.#waitMs, this.#isQueued);
    throw new TaskSuspended();
  }

  /** Whatever happens to this attempt, the next one begins with what is known now. */
  #keep(): void {
    this.#task.keep(this.#token());
  }

  #token(): string {
    // A lost worker that no call has heeded yet, such as one that waits for its turn, must be seen by the next lease too.
    const lease = this.#task.lease - (this.#isWorkerLost ? 1 : 0);
    return encodeCalls({ lease, calls: this.#calls }, WAIT_TOKEN_MAX_CHARS);
  }
}
