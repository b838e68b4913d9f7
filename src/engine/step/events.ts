import type { AxisTable } from "../layout/layout.ts";

/** What happened, as the run object tells the engine. Counts are of cells newly settled. */
export interface NodeProgress {
  readonly node: number;
  readonly ok: number;
  readonly failed: number;
  readonly blocked: number;
  readonly absent: number;
  /** Milli-credits that these elements are charged together [E25]. */
  readonly charged: number;
  /** What they used together, in the node's unit. */
  readonly used: number;
  /** The sweep has now passed elements below this; unchanged when null. */
  readonly cursor: number | null;
}

export type RunEvent =
  | { readonly type: "submitted" }
  /** Elements were evaluated, or task reports were taken in. */
  | { readonly type: "progressed"; readonly nodes: readonly NodeProgress[] }
  /** An enumerator ended at every element of its scope. */
  | { readonly type: "axis-resolved"; readonly axis: number; readonly table: AxisTable }
  /** An enumerator opened more elements than a node may have. */
  | { readonly type: "axis-too-long"; readonly node: number; readonly count: number }
  | { readonly type: "plan-reserved"; readonly node: number }
  /** The ledger or a bound refused a plan: the root stops. */
  | {
      readonly type: "plan-refused";
      readonly node: number;
      readonly code: "ADMISSION_LIMIT_EXCEEDED" | "INSUFFICIENT_CREDITS";
      readonly message: string;
    }
  /** Moving this node failed again and again for reasons of the service's own: the root stops [E22]. */
  | {
      readonly type: "abandoned";
      readonly node: number;
      readonly code: string;
      readonly message: string;
    }
  /** The run's own time is over: the root stops. */
  | { readonly type: "timed-out"; readonly message: string }
  | { readonly type: "cancel-requested" }
  /** Nothing is in flight any more after a stop or a cancel. */
  | { readonly type: "drained" };

/** What the run object is to do once the new state is committed. */
export type RunEffect =
  /** Ask the ledger for the worst case of a plan; answered by `plan-reserved` or `plan-refused`. */
  | { readonly type: "reserve"; readonly node: number; readonly milliCredits: number }
  /** Drop tasks that nobody works on. */
  | { readonly type: "drop-waiting-tasks" }
  | { readonly type: "finish" };
