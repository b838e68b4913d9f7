import type { ElementDigests } from "../../contracts/runs/task.ts";
import type { CellValue } from "../values/cell-outputs.ts";
import type { Charge } from "./charge.ts";
import type { NodeState, CellStatus } from "./run-state.ts";

/** A settled element as later nodes read it. `outputs` is present only if ok. */
export interface Cell {
  readonly status: CellStatus;
  readonly outputs: ReadonlyMap<string, CellValue>;
}

export interface CellFailure {
  readonly code: string;
  readonly message: string;
}

/** Where a reused element was worked out. */
export interface Reused {
  /** Id of the execution that did the work. */
  readonly execution: string;
  /** What that execution was charged for it. */
  readonly milliCredits: number;
  /** Set if it came from the result cache [E41] and not from the source of a retry. */
  readonly isCached?: true;
}

/** One element of a node, by their numbers in the plan and in the node's scope. */
export interface ElementPlace {
  readonly node: number;
  readonly element: number;
}

/** How a task that is made is looked for among results before it is worked out: neither, or one of the two. */
export interface TaskReuse {
  /** [E44] It waits for the result of this element, and is given to no worker meanwhile. */
  readonly equalTo?: ElementPlace;
  /** [E47] It is looked up in the result cache by this digest, and is given to no worker meanwhile. */
  readonly received?: string;
}

/** A newly settled element. */
export interface CellWrite {
  readonly node: number;
  readonly element: number;
  readonly status: CellStatus;
  readonly outputs: ReadonlyMap<string, CellValue>;
  /** The outputs as a row has them, where they are known; otherwise they are encoded. */
  readonly body?: string | undefined;
  readonly failure: CellFailure | null;
  /** The charge that follows from the inputs; without it, an ok element is charged the node's worst-case cost. */
  readonly charge?: Charge | undefined;
  /** Set if it was taken over from another run [E36], with the digests that it has there. */
  readonly reused?: Reused | undefined;
  readonly digests?: ElementDigests | undefined;
}

/** Settled cells by node and element; undefined if not settled yet. */
export type ReadCell = (node: number, element: number) => Cell | undefined;

export const NO_OUTPUTS: ReadonlyMap<string, CellValue> = new Map();
export const BLOCKED: Cell = { status: "blocked", outputs: NO_OUTPUTS };
export const ABSENT: Cell = { status: "absent", outputs: NO_OUTPUTS };
const FAILED: Cell = { status: "failed", outputs: NO_OUTPUTS };

/** The state at every element of a node that ended as a whole. */
export function wholeCell(node: NodeState | undefined): Cell | undefined {
  if (node?.whole == null) {
    return undefined;
  }
  return node.whole.status === "failed" ? FAILED : BLOCKED;
}
