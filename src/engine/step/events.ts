import type { AxisTable } from "../layout/layout.ts";

/** Events that the run object passes to the engine. Counts are of newly settled cells. */
export interface NodeProgress {
  readonly node: number;
  readonly ok: number;
  readonly failed: number;
  readonly blocked: number;
  readonly absent: number;
  /** Milli-credits that these elements are charged together [E25]. */
  readonly charged: number;
  /** Their total usage, in the node's unit. */
  readonly used: number;
  /** Those taken over from another run, of `ok`; omitted for none [E36]. */
  readonly reused?: number;
  /** Milli-credits that these were charged there; omitted for none. */
  readonly saved?: number;
  /** The sweep has passed all elements below this; null if unchanged. */
  readonly cursor: number | null;
}

export type RunEvent =
  | { readonly type: "submitted" }
  /** Elements were evaluated, or task reports were processed. */
  | { readonly type: "progressed"; readonly nodes: readonly NodeProgress[] }
  /** An enumerator ended at every element of its scope. */
  | { readonly type: "axis-resolved"; readonly axis: number; readonly table: AxisTable }
  /** An enumerator opened more elements than the limit of a node. */
  | { readonly type: "axis-too-long"; readonly node: number; readonly count: number }
  | { readonly type: "plan-reserved"; readonly node: number }
  /** Elements of a node below `cursor` were compared with the source: `runs` more of them have to be worked out [E39]. */
  | {
      readonly type: "matched";
      readonly node: number;
      readonly runs: number;
      readonly cursor: number;
    }
  /** The ledger or a limit refused a plan: the root stops. */
  | {
      readonly type: "plan-refused";
      readonly node: number;
      readonly code: "ADMISSION_LIMIT_EXCEEDED" | "INSUFFICIENT_CREDITS";
      readonly message: string;
    }
  /** Advancing this node failed repeatedly for internal reasons: the root stops [E22]. */
  | {
      readonly type: "abandoned";
      readonly node: number;
      readonly code: string;
      readonly message: string;
    }
  /** The run's time limit has passed: the root stops. */
  | { readonly type: "timed-out"; readonly message: string }
  | { readonly type: "cancel-requested" }
  /** Nothing is in flight any more after a stop or a cancel. */
  | { readonly type: "drained" };

/** Effects for the run object to execute once the new state is committed. */
export type RunEffect =
  /** Reserve the worst-case cost of a plan in the ledger; answered by `plan-reserved` or `plan-refused`. */
  | { readonly type: "reserve"; readonly node: number; readonly milliCredits: number }
  /** Drop tasks that no executor works on. */
  | { readonly type: "drop-waiting-tasks" }
  | { readonly type: "finish" };
