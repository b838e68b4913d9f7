import type { NodeProgress } from "../step/events.ts";
import type { CellRow } from "./run-rows.ts";

/** Counts newly settled cells by node, with the sweep's new position if it moved. */
export function tally(
  cells: readonly CellRow[],
  cursors: ReadonlyMap<number, number>,
): NodeProgress[] {
  const counts = new Map<
    number,
    Record<"ok" | "failed" | "blocked" | "absent" | "charged" | "used" | "reused" | "saved", number>
  >();
  const of = (node: number) => {
    const none = {
      ok: 0,
      failed: 0,
      blocked: 0,
      absent: 0,
      charged: 0,
      used: 0,
      reused: 0,
      saved: 0,
    };
    const known = counts.get(node) ?? none;
    counts.set(node, known);
    return known;
  };
  for (const node of cursors.keys()) {
    of(node);
  }
  for (const cell of cells) {
    const count = of(cell.node);
    count[cell.status]++;
    count.charged += cell.charge?.milliCredits ?? 0;
    count.used += cell.charge?.quantity ?? 0;
    if (cell.reused !== undefined) {
      count.reused++;
      count.saved += cell.reused.milliCredits;
    }
  }
  return [...counts].map(([node, count]) => ({
    node,
    ...count,
    cursor: cursors.get(node) ?? null,
  }));
}
