import type { FileRef } from "../../src/lib/files/file-ref.ts";
import { PACKED_FILE_BYTES_MAX, ROW_FILE_BYTES_MAX } from "../../src/lib/files/held-file-sizes.ts";
import type { MemoryLease } from "../../src/lib/memory/memory-budget.ts";
import type { HeldRoom } from "../../src/storage/r2/write-task-file.ts";

/** Most bytes of files for rows in one task's report; further files are stored like larger ones. */
const ROW_BYTES_MAX = 64 * 1024;

/** Memory of one task's small files until it is reported. */
export class TaskRoom implements HeldRoom {
  readonly bytesMax: number;
  readonly files: FileRef[] = [];
  readonly #takeMemory: (bytes: number) => MemoryLease | undefined;
  readonly #leases: MemoryLease[] = [];
  #rowBytesLeft = ROW_BYTES_MAX;
  #isOver = false;

  /** `isTaken`: the run accepts files in reports. `takeMemory`: takes memory for a file if available at once. */
  constructor(isTaken: boolean, takeMemory: (bytes: number) => MemoryLease | undefined) {
    this.bytesMax = isTaken ? PACKED_FILE_BYTES_MAX : 0;
    this.#takeMemory = takeMemory;
  }

  take(bytes: number): boolean {
    if (bytes > this.bytesMax || this.#isOver) {
      return false;
    }
    if (bytes <= ROW_FILE_BYTES_MAX) {
      this.#rowBytesLeft -= bytes;
      return this.#rowBytesLeft >= 0;
    }
    // Once for the file, once for the object that it is stored in.
    const lease = this.#takeMemory(2 * bytes);
    if (lease !== undefined) {
      this.#leases.push(lease);
    }
    return lease !== undefined;
  }

  /** Releases all memory; a task that continues after its end gets no more. */
  readonly release = (): void => {
    this.#isOver = true;
    for (const lease of this.#leases.splice(0)) {
      lease.release();
    }
  };
}
