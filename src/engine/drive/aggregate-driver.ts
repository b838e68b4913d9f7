import type { Layout } from "../layout/layout.ts";
import type { PlanNode } from "../plan/plan.ts";
import type { TakeOver } from "../reuse/take-over.ts";
import type { ElementPlace } from "../step/cells.ts";
import type { SliceDriver } from "./slice-driver.ts";

/** The parts of the driver that an aggregator uses. */
export interface AggregateDriver extends SliceDriver {
  readonly layout: Layout;
  /** Of a run that takes elements over. */
  readonly takeOver: TakeOver | undefined;
  /** [E44] The element whose result this one waits for; undefined if it is worked out. */
  equalTo(node: PlanNode, element: number): ElementPlace | undefined;
  /** Loads what a node reads at these elements for `context().read`. */
  load(reader: PlanNode, elementIndexes: readonly number[]): void;
}
