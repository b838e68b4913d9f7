import type { AxisTable } from "../layout/layout.ts";
import type { AxisRow } from "./run-rows.ts";

/** Builds the table of an axis from its rows, which contain every parent once, in order. */
export function axisTable(rows: readonly AxisRow[]): AxisTable {
  return {
    counts: rows.map((row) => row.count),
    absentParents: new Set(rows.filter((row) => row.status === "absent").map((row) => row.parent)),
  };
}
