import type { ReadingNotes } from "../../contracts/reading-notes.ts";

/** Warnings of a result about rows that an enumerator skipped and cells that it nulled. */
export function readingWarnings(
  nodeId: string,
  notes: ReadingNotes | undefined,
): Readonly<Record<string, unknown>>[] {
  if (notes === undefined) {
    return [];
  }
  const { of, skipped, nulled } = notes;
  return [
    ...(skipped === null
      ? []
      : [
          {
            code: "ROWS_SKIPPED",
            node_id: nodeId,
            skipped: skipped.count,
            of,
            first_row: skipped.firstRow,
            column: skipped.column,
          },
        ]),
    ...nulled.map(({ column, count, firstRow }) => ({
      code: "CELLS_NULLED",
      node_id: nodeId,
      column,
      nulled: count,
      of,
      first_row: firstRow,
    })),
  ];
}
