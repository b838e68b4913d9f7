import type { NodeProgress } from "../step/events.ts";
import type { CellRow } from "./run-rows.ts";

/** Newly settled cells by node, with the sweep's new position where it moved. */
export function tally(
  cells: readonly CellRow[],
  cursors: ReadonlyMap<number, number>,
): NodeProgress[] {
  const counts = new Map<number, { ok: number; failed: number; blocked: number; absent: number }>();
  const of = (node: number) => {
    const known = counts.get(node) ?? { ok: 0, failed: 0, blocked: 0, absent: 0 };
    counts.set(node, known);
    return known;
  };
  for (const node of cursors.keys()) {
    of(node);
  }
  for (const cell of cells) {
    of(cell.node)[cell.status]++;
  }
  return [...counts].map(([node, count]) => ({
    node,
    ...count,
    cursor: cursors.get(node) ?? null,
  }));
}
