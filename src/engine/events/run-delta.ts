import type { CellStatus, NodeState, RunState } from "../step/run-state.ts";

/** Elements of one node that settled alike: `count` of them, from `from` on. */
export interface SettledRange {
  readonly node: number;
  readonly status: CellStatus;
  readonly from: number;
  readonly count: number;
}

/**
 * What one commit changed. The state is the fold of all deltas over the state at birth, and what
 * clients are told while a run moves is derived from them. Values are absolute: applying a delta
 * twice changes nothing.
 */
export interface RunDelta {
  /** Null where it did not change. */
  readonly status: RunState["status"] | null;
  readonly progress: number | null;
  /** Null where it did not change: once a root has stopped, it stays so. */
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
