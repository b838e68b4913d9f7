import type { FileRef } from "../../lib/file-ref.ts";
import type { RunValue } from "../../nodes/define-ports.ts";
import type { InlineContext } from "../../nodes/define-tools.ts";
import type { PlanNode } from "../plan/plan.ts";
import type { CheckedCharge } from "../step/charge.ts";
import type { SpilledValue } from "../values.ts";
import type { StoredValue } from "../../contracts/task.ts";

/** The I/O a driver needs besides rows; the run object and the simulation each give theirs. */
export interface RunHost {
  readonly nodeContext: InlineContext;
  /** Reads and parses spilled values. Throws NodeError `VALUE_NOT_FOUND`. */
  loadSpilled(values: readonly SpilledValue[]): Promise<Map<SpilledValue, RunValue>>;
  /**
   * Stored form of one output, its text moved to R2 when it is too long for a row.
   * Throws NodeError `VALUE_TOO_LARGE`. Synchronous for small values.
   */
  store(
    node: PlanNode,
    element: number,
    port: string,
    value: RunValue,
  ): StoredValue | Promise<StoredValue>;
  /** Whether a file was made by this run. What an output keeps of another's is copied first. */
  isOwnFile(file: FileRef): boolean;
  /**
   * A transient fault met what `node` draws from at one element: waits before the next attempt, or
   * answers false when there have been enough [E20].
   */
  awaitNextAttempt(node: PlanNode, element: number): Promise<boolean>;
  /** Declared work that a slice may hold just now [E12]: less while others wait for the thread. Absent: as much as ever. */
  sliceWorkMax?(): number;
  /** Lets waiting requests in between two slices; `slices`: how many the run has had in one go. */
  pause(slices: number): Promise<void>;
  onDefect(node: PlanNode, error: unknown): void;
  /** A report claimed a charge that was not taken as it stood [E25]. */
  onClaim(node: PlanNode, element: number, problem: NonNullable<CheckedCharge["problem"]>): void;
}
