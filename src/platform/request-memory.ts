import { AppError } from "../lib/errors.ts";
import { LIMITS } from "../lib/limits-table.ts";
import type { MemoryLease } from "../lib/memory-budget.ts";
import { MemoryGate, type MemorySource } from "../lib/memory-gate.ts";

/** A request waits for so long; then its client may try again, later and perhaps elsewhere. */
const WAIT_MAX_MS = LIMITS.memory_wait.value;
const RETRY_AFTER_S = "5";

/** What one request, or one alarm, holds of its isolate's memory. See docs/decisions/memory-budget.md. */
export class RequestMemory implements MemorySource {
  readonly #gate: MemoryGate;
  readonly #waitUntil: (promise: Promise<unknown>) => void;
  readonly #waitMaxMs: number;
  readonly #leases = new Set<MemoryLease>();
  #end: (() => void) | undefined;

  /** `waitUntil` lets the request come to its end, where it releases, when its client has gone away. */
  constructor(
    waitUntil: (promise: Promise<unknown>) => void = () => undefined,
    gate = new MemoryGate(),
    waitMaxMs = WAIT_MAX_MS,
  ) {
    this.#waitUntil = waitUntil;
    this.#gate = gate;
    this.#waitMaxMs = waitMaxMs;
  }

  /** So many bytes, at once or in turn. Throws `service_unavailable` where there is no room in time. */
  async take(bytes: number): Promise<MemoryLease> {
    const lease =
      this.#gate.takeNow(bytes) ?? (await this.#gate.takeWithin(bytes, this.#waitMaxMs));
    if (lease === undefined) {
      throw new AppError(
        "service_unavailable",
        "Too many large bodies are worked on at once, and there was no memory for this one within its time. Try again in a few seconds, with the same Idempotency-Key where the route takes one.",
        { headers: { "retry-after": RETRY_AFTER_S } },
      );
    }
    return this.#held(lease);
  }

  /** The same where it is there without waiting, else undefined. */
  takeNow(bytes: number): MemoryLease | undefined {
    const lease = this.#gate.takeNow(bytes);
    return lease === undefined ? undefined : this.#held(lease);
  }

  /** Works with so many bytes, none where null, which are given back however it ends. Throws as `take` does. */
  async use<T>(bytes: number | null, work: () => Promise<T>): Promise<T> {
    const lease = bytes === null ? undefined : await this.take(bytes);
    try {
      return await work();
    } finally {
      lease?.release();
    }
  }

  /** Gives back what is still held, once or more often. */
  release(): void {
    for (const lease of this.#leases) {
      lease.release();
    }
    this.#leases.clear();
    this.#end?.();
    this.#end = undefined;
  }

  #held(lease: MemoryLease): MemoryLease {
    this.#leases.add(lease);
    if (this.#end === undefined) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#end = resolve;
      this.#waitUntil(promise);
    }
    return lease;
  }
}
