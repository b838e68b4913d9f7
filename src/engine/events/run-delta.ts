import type { CellStatus, NodeState, RunState } from "../step/run-state.ts";

/** Elements of one node that settled alike: `count` of them, starting at `from`. */
export interface SettledRange {
  readonly node: number;
  readonly status: CellStatus;
  readonly from: number;
  readonly count: number;
}

/**
 * The changes of one commit. The state is the fold of all deltas over the initial state, and a run's events are derived
 * from them. Values are absolute: applying a delta twice changes nothing.
 */
export interface RunDelta {
  /** Null if unchanged. */
  readonly status: RunState["status"] | null;
  readonly progress: number | null;
  /** Null if unchanged: once a root has stopped, it stays stopped. */
  readonly stopped: RunState["stopped"];
  readonly nodes: readonly {
    readonly index: number;
    readonly state: NodeState;
    /** It opened or ended with this commit. */
    readonly isNewPhase: boolean;
  }[];
  /** Elements of output nodes that settled with this commit. */
  readonly outputs: readonly SettledRange[];
}
