import type { ReadingNotes } from "../../contracts/reading-notes.ts";
import type { AxisRow, CellRow } from "../drive/run-rows.ts";
import type { Layout } from "../layout/layout.ts";
import type { Plan } from "../plan/plan.ts";
import type { RunState } from "../step/run-state.ts";
import type { TypeVersions } from "./match-nodes.ts";

/** The rows of a source, which may be in another object. A rejection is a fault of the service, never of an element. */
export interface SourceRows {
  /** The settled cells of nodes at these elements, in any order. Those of several nodes that share elements cost little more than those of one. */
  cells(
    wanted: ReadonlyMap<number, readonly number[]>,
  ): readonly CellRow[] | Promise<readonly CellRow[]>;
}

/** An ended run whose work a retry takes over. */
export interface SourceRun {
  /** Id of the execution. */
  readonly id: string;
  readonly plan: Plan;
  /** The versions of its node types when it started. */
  readonly versions: TypeVersions;
  readonly state: RunState;
  /** Restored from its rows. */
  readonly layout: Layout;
  readonly rows: SourceRows;
  /** Of each axis that was resolved. */
  axisRows(axis: number): readonly AxisRow[];
  /** What its enumerators noted about the rows that they read, by node. */
  readonly notes: ReadonlyMap<number, ReadingNotes>;
}
