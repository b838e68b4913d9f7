/**
 * The memory of one piece of a run's work, from the isolate's budget. The work never waits while it holds data: where
 * there is no room it is left as it was before (nothing of it is committed), its memory is released, and it is repeated
 * once there is room for what it lacked. Two runs can therefore not wait for each other. docs/decisions/memory-budget.md
 */
import type { KeptMemory, MemoryLease } from "../../lib/memory/memory-budget.ts";
import type { MemoryWait } from "../../lib/memory/memory-gate.ts";

/** The part of `MemoryGate` that runs use. */
export interface RunMemory {
  takeNow(bytes: number): MemoryLease | undefined;
  wait(bytes: number): MemoryWait;
  /** Counts memory that is only cached. */
  keep(bytes: number, drop: () => void): KeptMemory;
}

/** Work that holds no more than this asks for nothing: most slices. */
const SMALL_BYTES = 512 * 1024;

/** Memory is asked for in these steps, so that work that grows does not ask at each element. */
const STEP_BYTES = 1024 * 1024;

/** Memory that the work no longer needs is released from this size on; less is kept for its next elements. */
const SPARE_BYTES_MAX = 4 * STEP_BYTES;

/** A slice that holds more than this ends after its current element. */
const FULL_BYTES = 4 * 1024 * 1024;

/** Estimated memory of a character of a row that a slice has made and not committed. */
const BYTES_A_ROW_CHAR = 2;

/** There is no room now for the memory that a piece of work needs. */
export class MemoryShortage extends Error {
  override readonly name = "MemoryShortage";
  /** What the work would hold in all. */
  readonly bytes: number;

  constructor(bytes: number) {
    super(`There is no room for ${String(bytes)} bytes.`);
    this.bytes = bytes;
  }
}

/** Estimated memory of encoded rows with this many characters. */
export function rowBytes(chars: number): number {
  return chars * BYTES_A_ROW_CHAR;
}

export class WorkMemory {
  readonly #source: RunMemory;
  readonly #leases: MemoryLease[] = [];
  /** What the work has waited for is kept until its end: asked for again, it might be refused each time. */
  readonly #waitedFor: number;
  #granted: number;
  #read = 0;
  #made = 0;
  #loaded = 0;

  /** `granted`: memory that the work has waited for. */
  constructor(source: RunMemory, granted?: MemoryLease) {
    this.#source = source;
    this.#waitedFor = granted?.bytes ?? 0;
    this.#granted = this.#waitedFor;
    if (granted !== undefined) {
      this.#leases.push(granted);
    }
  }

  /** Whether the slice should end: its next elements would need as many cells again, but not what it has made. */
  get isFull(): boolean {
    return this.#made + this.#loaded > FULL_BYTES;
  }

  /** Memory of the values from R2. */
  get loadedBytes(): number {
    return this.#loaded;
  }

  /** Whether what it has made takes less than what asks for nothing. */
  get isSmall(): boolean {
    return this.#made + this.#loaded <= SMALL_BYTES;
  }

  /** Sets the memory of the cells that it reads. Throws MemoryShortage. */
  read(bytes: number): void {
    this.#read = bytes;
    this.#adjust();
  }

  /** Sets the memory of what it has made. Throws MemoryShortage. */
  make(bytes: number): void {
    this.#made = bytes;
    this.#adjust();
  }

  /** Adds memory of values from R2; less than nothing if they turn out to be smaller. Throws MemoryShortage. */
  load(bytes: number): void {
    this.#loaded += bytes;
    this.#adjust();
  }

  /** Like `make`, when loaded values are dropped or are part of what was made. */
  settle(bytes: number): void {
    this.#loaded = 0;
    this.make(bytes);
  }

  /** Releases everything. Safe to repeat. */
  release(): void {
    for (const lease of this.#leases.splice(0)) {
      lease.release();
    }
    this.#granted = 0;
  }

  #adjust(): void {
    const bytes = this.#read + this.#made + this.#loaded;
    const wanted = bytes <= SMALL_BYTES ? 0 : Math.ceil(bytes / STEP_BYTES) * STEP_BYTES;
    if (wanted > this.#granted) {
      const lease = this.#source.takeNow(wanted - this.#granted);
      if (lease === undefined) {
        throw new MemoryShortage(wanted);
      }
      this.#leases.push(lease);
      this.#granted = wanted;
    } else if (this.#granted - wanted >= SPARE_BYTES_MAX) {
      this.#shrinkTo(Math.max(wanted, this.#waitedFor));
    }
  }

  #shrinkTo(bytes: number): void {
    while (this.#granted > bytes) {
      const lease = this.#leases.pop();
      if (lease === undefined) {
        break;
      }
      const over = this.#granted - bytes;
      this.#granted -= Math.min(over, lease.bytes);
      if (lease.bytes <= over) {
        lease.release();
      } else {
        lease.shrink(lease.bytes - over);
        this.#leases.push(lease);
      }
    }
  }
}
