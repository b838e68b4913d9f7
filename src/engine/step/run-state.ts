/**
 * The run's state: counters, never items [E19]. It is small, plain data and written completely with every commit; the
 * values of elements are in rows that the caller of `step` stores.
 */
import type { RunStatus } from "../../contracts/runs/run.ts";

/** The end state of one element of a node [E10]. */
export const CELL_STATUSES = ["ok", "failed", "blocked", "absent"] as const;
export type CellStatus = (typeof CELL_STATUSES)[number];

export interface NodeState {
  /**
   * `matching`: its elements are compared with those of the run's source [E39]. `reserving`: its plan is known and waits
   * for the ledger. `open`: its elements may run.
   */
  readonly phase: "waiting" | "matching" | "reserving" | "open" | "settled";
  /** Number of elements; -1 until its scope is resolved. */
  readonly total: number;
  readonly ok: number;
  readonly failed: number;
  readonly blocked: number;
  readonly absent: number;
  /**
   * Milli-credits charged for its elements so far, updated as they settle [E25]. Null in a state from before charges
   * could vary: each `ok` element was then charged the node's cost.
   */
  readonly charged: number | null;
  /** Total usage of its elements so far, in the node's unit. */
  readonly used: number;
  /** Of `ok`, those that were taken over from another run [E36]. */
  readonly reused: number;
  /** Milli-credits that these were charged there. */
  readonly saved: number;
  /** The elements that are not taken over, once they are counted [E39]; null where all of them count. */
  readonly runs: number | null;
  /** Elements below this have been visited; later ones have not. */
  readonly cursor: number;
  /** Set if the node ended as a whole, without elements of its own [E15]. */
  readonly whole: null | {
    readonly status: "failed" | "blocked";
    readonly code: string;
    readonly message: string;
  };
}

export interface RunState {
  readonly v: 1;
  readonly status: RunStatus;
  /** The root no longer admits work: nothing new starts, work in flight settles. */
  readonly stopped: null | {
    readonly node: number;
    readonly code: string;
    readonly message: string;
  };
  readonly nodes: readonly NodeState[];
  /** 0 to 100, never decreasing, 100 only when terminal [E21]. */
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
  reused: 0,
  saved: 0,
  runs: null,
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

/** Milli-credits charged for a node's elements so far. */
export function chargedBy(node: NodeState, costMilliCredits: number): number {
  return node.charged ?? node.ok * costMilliCredits;
}

/** Elements whose worst-case cost a node's plan reserves. */
export function payableElements(node: NodeState): number {
  return node.runs ?? node.total;
}
