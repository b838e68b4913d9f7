/** The parts of the driver that any piece of work uses, and the measures of its pieces. */
import type { Plan, PlanNode } from "../plan/plan.ts";
import type { EvaluateContext } from "../step/evaluate-elements.ts";
import type { RunEvent } from "../step/events.ts";
import type { CellRow, Commit } from "./run-rows.ts";
import type { RunHost } from "./run-host.ts";
import type { WorkMemory } from "./work-memory.ts";

/** Elements whose cells are read at once: whole blocks of rows, and few before their size is known. */
export const ELEMENTS_AT_ONCE = 128;

export interface SliceDriver {
  readonly plan: Plan;
  readonly host: RunHost;
  readonly memory: WorkMemory;
  context(): EvaluateContext;
  /** Work units of a slice, fewer while others wait. */
  workMax(): number;
  /** Pauses; false if the run was stopped meanwhile. */
  goOn(): Promise<boolean>;
  commit(events: readonly RunEvent[], rows: Omit<Commit, "state" | "delta">): void;
}

/** Elements of a node that fit into one slice. */
export function pageOf(node: PlanNode, workMax: number): number {
  return Math.max(1, Math.floor(workMax / node.work));
}

/** Characters of the rows' values. */
export function charsOf(rows: readonly CellRow[]): number {
  return rows.reduce((sum, { body }) => sum + body.length, 0);
}
