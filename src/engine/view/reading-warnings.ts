import type { ReadingNotes } from "../../contracts/reading-notes.ts";
import type { ResultWarning } from "./view-input.ts";

/** Result warnings about rows that an enumerator skipped and cells that it set to null. */
export function readingWarnings(nodeId: string, notes: ReadingNotes | undefined): ResultWarning[] {
  if (notes === undefined) {
    return [];
  }
  const { of, skipped, nulled } = notes;
  return [
    ...(skipped === null
      ? []
      : [
          {
            code: "ROWS_SKIPPED" as const,
            node_id: nodeId,
            skipped: skipped.count,
            of,
            first_row: skipped.firstRow,
            column: skipped.column,
          },
        ]),
    ...nulled.map(({ column, count, firstRow }) => ({
      code: "CELLS_NULLED" as const,
      node_id: nodeId,
      column,
      nulled: count,
      of,
      first_row: firstRow,
    })),
  ];
}
