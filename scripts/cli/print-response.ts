/** Formats responses for people: lists as tables, objects as lines. `--json` prints the response unchanged. */

/** Table cells are cut at this length. */
const CELL_CHARS_MAX = 60;

export function printResponse(
  response: unknown,
  options: { readonly isJson: boolean; readonly columns?: readonly string[] | undefined },
): void {
  if (response === undefined) {
    return;
  }
  if (options.isJson) {
    console.log(JSON.stringify(response, null, 2));
  } else if (typeof response === "string") {
    console.log(response.trimEnd());
  } else if (isList(response)) {
    printList(response, options.columns);
  } else if (typeof response === "object" && response !== null) {
    printObject(response);
  } else {
    console.log(JSON.stringify(response));
  }
}

interface List {
  readonly data: readonly Readonly<Record<string, unknown>>[];
  readonly has_more?: boolean;
  readonly next_cursor?: string | null;
  readonly total_count?: number;
}

function isList(response: unknown): response is List {
  return (
    typeof response === "object" && response !== null && Array.isArray((response as List).data)
  );
}

function printList(list: List, given: readonly string[] | undefined): void {
  const columns = given ?? Object.keys(list.data[0] ?? {}).slice(0, 6);
  if (list.data.length > 0) {
    console.log(
      tableText(
        columns,
        list.data.map((row) => columns.map((column) => cellText(row[column]))),
      ),
    );
  }
  const total = list.total_count ?? list.data.length;
  const more =
    list.has_more === true ? `; the next page is --starting-after ${list.next_cursor}` : "";
  console.error(`${list.data.length} of ${total}${more}`);
}

export function tableText(
  columns: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const widths = columns.map((column, at) =>
    Math.max(column.length, ...rows.map((row) => row[at]?.length ?? 0)),
  );
  return [columns, ...rows]
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(at === row.length - 1 ? 0 : (widths[at] ?? 0)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function cellText(value: unknown): string {
  if (value === undefined || value === null) {
    return "";
  }
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const line = text.replaceAll(/\s+/g, " ");
  return line.length > CELL_CHARS_MAX ? `${line.slice(0, CELL_CHARS_MAX - 1)}…` : line;
}

function printObject(object: object): void {
  const entries = Object.entries(object).filter(([, value]) => value !== undefined);
  const width = Math.max(0, ...entries.map(([name]) => name.length));
  for (const [name, value] of entries) {
    const isNested = typeof value === "object" && value !== null && Object.keys(value).length > 0;
    if (isNested) {
      const text = JSON.stringify(value, null, 2).replaceAll("\n", "\n  ");
      console.log(`${name}\n  ${text}`);
    } else {
      const shown = typeof value === "string" ? value : JSON.stringify(value);
      console.log(`${name.padEnd(width)}  ${shown}`);
    }
  }
}
