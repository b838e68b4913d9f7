/** Notes of an enumerator about the rows that it read: skipped rows and nulled cells. */
export interface ReadingNotes {
  /** Number of rows read, including skipped ones. */
  readonly of: number;
  /** `firstRow` counts from 1; `column` is the column whose cell caused the skip. */
  readonly skipped: {
    readonly count: number;
    readonly firstRow: number;
    readonly column: string;
  } | null;
  readonly nulled: readonly {
    readonly column: string;
    readonly count: number;
    readonly firstRow: number;
  }[];
}

/** Merges the notes of two readings by one node, in order. */
export function mergeNotes(
  a: ReadingNotes | undefined,
  b: ReadingNotes | undefined,
): ReadingNotes | undefined {
  return a === undefined || b === undefined ? (a ?? b) : merged(a, b);
}

function merged(a: ReadingNotes, b: ReadingNotes): ReadingNotes {
  const columns = new Map(a.nulled.map((entry) => [entry.column, entry]));
  for (const { column, count, firstRow } of b.nulled) {
    const known = columns.get(column) ?? { column, count: 0, firstRow };
    columns.set(column, { ...known, count: known.count + count });
  }
  return {
    of: a.of + b.of,
    skipped:
      a.skipped === null || b.skipped === null
        ? (a.skipped ?? b.skipped)
        : { ...a.skipped, count: a.skipped.count + b.skipped.count },
    nulled: [...columns.values()],
  };
}
