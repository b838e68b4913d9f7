import { AppError } from "../lib/errors/errors.ts";
import { LIMITS } from "../lib/limits/limits-table.ts";
import type { MemoryLease } from "../lib/memory/memory-budget.ts";
import { MemoryGate, type MemorySource } from "../lib/memory/memory-gate.ts";

/** Longest wait of a request for memory; its client may then retry. */
const WAIT_MAX_MS = LIMITS.memory_wait.value;
const RETRY_AFTER_S = "5";

/** One request's or alarm's share of its isolate's memory. See docs/decisions/memory-budget.md. */
export class RequestMemory implements MemorySource {
  readonly #gate: MemoryGate;
  readonly #waitUntil: (promise: Promise<unknown>) => void;
  readonly #waitMaxMs: number;
  readonly #leases = new Set<MemoryLease>();
  #end: (() => void) | undefined;

  /** `waitUntil` keeps the request running until it releases its memory, even if its client has disconnected. */
  constructor(
    waitUntil: (promise: Promise<unknown>) => void = () => undefined,
    gate = new MemoryGate(),
    waitMaxMs = WAIT_MAX_MS,
  ) {
    this.#waitUntil = waitUntil;
    this.#gate = gate;
    this.#waitMaxMs = waitMaxMs;
  }

  /** Takes memory, waiting for it if necessary. Throws `service_unavailable` if there is no room in time. */
  async take(bytes: number): Promise<MemoryLease> {
    const lease =
      this.#gate.takeNow(bytes) ?? (await this.#gate.takeWithin(bytes, this.#waitMaxMs));
    if (lease === undefined) {
      throw new AppError(
        "service_unavailable",
        "Too many large bodies are being processed, and no memory became available for this one in time. Try again in a few seconds, with the same Idempotency-Key where the route takes one.",
        { headers: { "retry-after": RETRY_AFTER_S } },
      );
    }
    return this.#held(lease);
  }

  /** Takes memory if it is available without waiting, else returns undefined. */
  takeNow(bytes: number): MemoryLease | undefined {
    const lease = this.#gate.takeNow(bytes);
    return lease === undefined ? undefined : this.#held(lease);
  }

  /** Runs a function with this memory (none if null) and releases it in every case. Throws like `take`. */
  async use<T>(bytes: number | null, work: () => T | Promise<T>): Promise<T> {
    const lease = bytes === null ? undefined : await this.take(bytes);
    try {
      return await work();
    } finally {
      lease?.release();
    }
  }

  /** Releases what is still held. Safe to call more than once. */
  release(): void {
    for (const lease of this.#leases) {
      lease.release();
    }
  }

  #held(lease: MemoryLease): MemoryLease {
    const own: MemoryLease = {
      get bytes() {
        return lease.bytes;
      },
      shrink: (bytes) => {
        lease.shrink(bytes);
      },
      release: () => {
        lease.release();
        this.#leases.delete(own);
        if (this.#leases.size === 0) {
          this.#end?.();
          this.#end = undefined;
        }
      },
    };
    this.#leases.add(own);
    if (this.#end === undefined) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#end = resolve;
      this.#waitUntil(promise);
    }
    return own;
  }
}
