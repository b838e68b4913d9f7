import type { FileRef } from "../../lib/files/file-ref.ts";
import type { RunValue } from "../../nodes/define-ports.ts";
import type { InlineContext } from "../../nodes/define-tools.ts";
import type { PlanNode } from "../plan/plan.ts";
import type { CheckedCharge } from "../step/charge.ts";
import type { SpilledValue } from "../values.ts";
import type { StoredValue } from "../../contracts/runs/task.ts";
import type { RunMemory } from "./work-memory.ts";

interface LoadedValues {
  readonly values: ReadonlyMap<SpilledValue, RunValue>;
  /** Their memory, as `unreadBytes` estimated it before. */
  readonly bytes: number;
}

/** The I/O of a driver besides rows, implemented by the run object and by the simulation. */
export interface RunHost {
  readonly nodeContext: InlineContext;
  /** The isolate's memory, for what a piece of work holds. */
  readonly memory: RunMemory;
  /** Reads and parses spilled values; those whose bytes are gone are missing. */
  loadSpilled(values: readonly SpilledValue[]): Promise<LoadedValues>;
  /** Memory for reading a stored file as a table. */
  readingBytes(file: FileRef): number;
  /**
   * Returns the stored form of one output; a text too long for a row is moved to R2. Throws NodeError
   * `VALUE_TOO_LARGE`. Synchronous for small values.
   */
  store(
    node: PlanNode,
    element: number,
    port: string,
    value: RunValue,
  ): StoredValue | Promise<StoredValue>;
  /** Whether this run made a file. Outputs copy files of other runs before they keep them. */
  isOwnFile(file: FileRef): boolean;
  /**
   * Called when a transient fault interrupts the enumeration of `node` at one element: waits before the next attempt,
   * or returns false after the last one [E20].
   */
  awaitNextAttempt(node: PlanNode, element: number): Promise<boolean>;
  /**
   * Declared work that a slice may currently hold [E12]: less while others wait for the thread. Absent: the usual
   * maximum.
   */
  sliceWorkMax?(): number;
  /** Lets waiting requests in between two slices; `slices` is the number of consecutive slices of this run. */
  pause(slices: number): Promise<void>;
  onDefect(node: PlanNode, error: unknown): void;
  /** A report's charge was changed before it was accepted [E25]. */
  onClaim(node: PlanNode, element: number, problem: NonNullable<CheckedCharge["problem"]>): void;
}
