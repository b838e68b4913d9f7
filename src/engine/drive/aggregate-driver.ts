import type { Layout } from "../layout/layout.ts";
import type { PlanNode } from "../plan/plan.ts";
import type { TakeOver } from "../reuse/take-over.ts";
import type { SliceDriver } from "./slice-driver.ts";

/** The parts of the driver that an aggregator uses. */
export interface AggregateDriver extends SliceDriver {
  readonly layout: Layout;
  /** Of a run that takes elements over. */
  readonly takeOver: TakeOver | undefined;
  /** Loads what a node reads at these elements for `context().read`. */
  load(reader: PlanNode, elementIndexes: readonly number[]): void;
}
