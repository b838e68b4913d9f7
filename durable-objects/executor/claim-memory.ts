import type { LeasedTask } from "../../src/contracts/runs/task.ts";
import { claimMemory, type MemoryLease } from "../../src/lib/memory/memory-budget.ts";
import { MemoryGate } from "../../src/lib/memory/memory-gate.ts";

/** Memory for a claim before its size is known, so that an isolate waits for few of unknown size at once. */
const UNKNOWN_BYTES = 1024 * 1024;

/** A claim of no more counts for nothing once it is known: most claims. */
const SMALL_BYTES = 64 * 1024;

/** A chunk that gets no room in this time is not claimed: the run sends its hint again. */
const WAIT_MAX_MS = 30_000;

/** Of the text of a task: two for each character, at most. */
const BYTES_A_CHAR = 2;

/** Room for the inputs of claimed tasks until each task has ended. Asked for before the claim, so that the run keeps what no executor has room for. */
export class ClaimMemory {
  readonly #gate: MemoryGate;
  readonly #waitMaxMs: number;

  constructor(gate = new MemoryGate(claimMemory), waitMaxMs = WAIT_MAX_MS) {
    this.#gate = gate;
    this.#waitMaxMs = waitMaxMs;
  }

  /** Room for one claim, at once or when there is some; undefined if there was none in time. Release it once. */
  reserve(): ClaimRoom | Promise<ClaimRoom | undefined> {
    const lease = this.#gate.takeNow(UNKNOWN_BYTES);
    return lease === undefined ? this.#wait() : new ClaimRoom(this.#gate, lease);
  }

  async #wait(): Promise<ClaimRoom | undefined> {
    const lease = await this.#gate.takeWithin(UNKNOWN_BYTES, this.#waitMaxMs);
    return lease && new ClaimRoom(this.#gate, lease);
  }
}

/** The memory of one claim. */
export class ClaimRoom {
  readonly #gate: MemoryGate;
  readonly #leases: MemoryLease[];
  #bytes = 0;

  constructor(gate: MemoryGate, lease: MemoryLease) {
    this.#gate = gate;
    this.#leases = [lease];
  }

  /** The claim has arrived: counts what it holds. */
  hold(tasks: readonly LeasedTask[]): void {
    const [lease] = this.#leases;
    this.#bytes = tasks.reduce((sum, task) => sum + taskBytes(task), 0);
    if (this.#bytes <= SMALL_BYTES) {
      this.release();
    } else if (lease !== undefined && this.#bytes > lease.bytes) {
      this.#leases.push(this.#gate.takeAnyway(this.#bytes - lease.bytes));
    } else {
      lease?.shrink(this.#bytes);
    }
  }

  /** A task has ended, and nothing refers to its inputs any more. */
  drop(task: LeasedTask): void {
    this.#bytes -= taskBytes(task);
    let over = this.#leases.reduce((sum, { bytes }) => sum + bytes, 0) - this.#bytes;
    for (const lease of this.#leases) {
      const part = Math.min(over, lease.bytes);
      lease.shrink(lease.bytes - part);
      over -= part;
    }
  }

  /** Safe to repeat. */
  release(): void {
    for (const lease of this.#leases.splice(0)) {
      lease.release();
    }
  }
}

function taskBytes({ params_json: params, inputs }: LeasedTask): number {
  const chars = inputs.reduce(
    (sum, { value }) => sum + [value].flat().reduce((length, text) => length + text.length, 0),
    params.length,
  );
  return chars * BYTES_A_CHAR;
}
