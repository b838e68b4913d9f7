/** A list whose row heights are known, and the boxes that it fills. */
export interface RowsCase {
  readonly heights: readonly number[];
  readonly height: number;
  readonly headerHeight: number;
  readonly repeatHeader: boolean;
  readonly columns: number;
  readonly gap: number;
  readonly goesOn: boolean;
}

/** Where a row prints: its page and its place in the box. */
export interface RowPlace {
  readonly row: number;
  readonly page: number;
  readonly column: number;
  readonly y: number;
}

/**
 * The rules of rows and pages (docs/contract/templates.md#pages) as slow and plain as they can be written: for each page,
 * the longest beginning of the rows that are left is searched by laying out every beginning.
 */
export function placeRowsSlowly(rows: RowsCase): {
  readonly places: readonly RowPlace[];
  readonly leftOut: number;
  readonly pages: number;
} {
  const top = (page: number) => (page === 0 || rows.repeatHeader ? rows.headerHeight : 0);
  const roomOn = (page: number) => rows.height - top(page);
  const most = rows.goesOn ? Math.max(roomOn(0), roomOn(1)) : roomOn(0);
  let rest = rows.heights
    .map((height, row) => ({ row, height }))
    .filter(({ height }) => height <= most + 0.01);
  const places: RowPlace[] = [];
  let page = 0;
  do {
    let taken = 0;
    for (let count = 1; count <= rest.length; count += 1) {
      const isWholeLine = count % rows.columns === 0 || count === rest.length;
      if (isWholeLine && heightOf(rest.slice(0, count), rows) <= roomOn(page) + 0.01) {
        taken = Math.max(taken, count);
      }
    }
    for (let i = 0; i < taken; i += 1) {
      const line = Math.floor(i / rows.columns);
      const above = rest.slice(0, line * rows.columns);
      const y = top(page) + (above.length === 0 ? 0 : heightOf(above, rows) + rows.gap);
      places.push({ row: rest[i]!.row, page, column: i % rows.columns, y });
    }
    rest = rest.slice(taken);
    page += 1;
  } while (rows.goesOn && rest.length > 0);
  return { places, leftOut: rows.heights.length - places.length, pages: page };
}

function heightOf(
  some: readonly { readonly height: number }[],
  { columns, gap }: RowsCase,
): number {
  let sum = 0;
  for (let from = 0; from < some.length; from += columns) {
    sum += Math.max(...some.slice(from, from + columns).map(({ height }) => height));
    sum += from > 0 ? gap : 0;
  }
  return sum;
}
