/**
 * The run's state: counters, never items [E19]. It is small, plain data, and written whole with every
 * commit; what each element holds lies in rows that the caller of `step` keeps.
 */
import type { RunStatus } from "../../contracts/run.ts";

/** How one element of a node ended [E10]. */
export const CELL_STATUSES = ["ok", "failed", "blocked", "absent"] as const;
export type CellStatus = (typeof CELL_STATUSES)[number];

export interface NodeState {
  /** `reserving`: its plan is known and waits for the ledger. `open`: its elements may run. */
  readonly phase: "waiting" | "reserving" | "open" | "settled";
  /** Number of elements; -1 until its scope is resolved. */
  readonly total: number;
  readonly ok: number;
  readonly failed: number;
  readonly blocked: number;
  readonly absent: number;
  /**
   * Milli-credits that its elements were charged so far, kept as they settle [E25]. Null in a state
   * that was written before charges could vary: then each `ok` element was charged the node's cost.
   */
  readonly charged: number | null;
  /** What its elements used so far, in the node's unit. */
  readonly used: number;
  /** Elements below this were looked at once; later ones were not yet. */
  readonly cursor: number;
  /** Set when the node ended as a whole, without elements of its own [E15]. */
  readonly whole: null | {
    readonly status: "failed" | "blocked";
    readonly code: string;
    readonly message: string;
  };
}

export interface RunState {
  readonly v: 1;
  readonly status: RunStatus;
  /** The root stopped admitting work: nothing new starts, what is in flight settles. */
  readonly stopped: null | {
    readonly node: number;
    readonly code: string;
    readonly message: string;
  };
  readonly nodes: readonly NodeState[];
  /** 0 to 100, never lowered, 100 only when terminal [E21]. */
  readonly progress: number;
}

const WAITING: NodeState = {
  phase: "waiting",
  total: -1,
  ok: 0,
  failed: 0,
  blocked: 0,
  absent: 0,
  charged: 0,
  used: 0,
  cursor: 0,
  whole: null,
};

export function newRunState(plan: { readonly nodes: readonly unknown[] }): RunState {
  return {
    v: 1,
    status: "pending",
    stopped: null,
    nodes: plan.nodes.map(() => WAITING),
    progress: 0,
  };
}

export function settledCount(node: NodeState): number {
  return node.ok + node.failed + node.blocked + node.absent;
}

/** Milli-credits that a node's elements were charged so far. */
export function chargedBy(node: NodeState, costMilliCredits: number): number {
  return node.charged ?? node.ok * costMilliCredits;
}
